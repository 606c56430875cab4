package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RecentHistoryTest {
  private static final String LENGTH = "x-recent-history-length";
  private static final String NO_STORE = "x-recent-history-no-store";

  private static FieldTable length(FieldValue value) {
    return FieldTable.builder().put(LENGTH, value).build();
  }

  private static Message message(String body, FieldTable headers) {
    BasicProperties properties = BasicProperties.builder().headers(headers).build();
    return Message.ofBroker(
        "recent", ShortString.of("k"), properties, body.getBytes(StandardCharsets.UTF_8));
  }

  private static void add(RecentHistory history, int from, int to) {
    for (int i = from; i <= to; i++) {
      history.add(message(Integer.toString(i), FieldTable.EMPTY));
    }
  }

  private static List<String> bodies(RecentHistory history) {
    return history.messages().stream()
        .map(message -> new String(message.body(), StandardCharsets.UTF_8))
        .toList();
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(Integer::toString).toList();
  }

  @Test
  void theLargestHistoryForgetsItsOldestMessagesWhenAllTakeTooMuch() {
    HistoryMemory memory = new HistoryMemory(100_000);
    FieldTable long1 = length(new FieldValue.Int32(1_000_000_000));
    RecentHistory small = new RecentHistory(FieldTable.EMPTY, memory);
    add(small, 1, 20);
    RecentHistory large = new RecentHistory(long1, memory);
    add(large, 1, 10_000);
    assertThat(memory.total()).isBetween(40_000L, 100_000L);
    assertThat(bodies(small)).isEqualTo(numbers(1, 20));
    List<String> kept = bodies(large);
    assertThat(kept).isEqualTo(numbers(10_001 - kept.size(), 10_000)).hasSizeGreaterThan(100);
    RecentHistory other = new RecentHistory(long1, memory);
    other.add(message("x".repeat(200_000), FieldTable.EMPTY));
    assertThat(other.messages()).as("larger than all may take").isEmpty();
    assertThat(memory.total()).isLessThanOrEqualTo(100_000);
  }

  @Test
  @Timeout(60)
  void aHistoryThatIsGoneTakesNoMemory() {
    HistoryMemory memory = new HistoryMemory(1_000_000);
    add(new RecentHistory(FieldTable.EMPTY, memory), 1, 20);
    assertThat(memory.total()).isPositive();
    while (memory.total() > 0) {
      System.gc();
    }
  }

  @Test
  void recentHistoryKeepsTwentyMessagesByDefault() {
    RecentHistory history = new RecentHistory(FieldTable.EMPTY);
    assertThat(history.messages()).isEmpty();
    add(history, 1, 20);
    assertThat(bodies(history)).isEqualTo(numbers(1, 20));
    add(history, 21, 23);
    assertThat(bodies(history)).as("the oldest go").isEqualTo(numbers(4, 23));
  }

  @Test
  void recentHistoryKeepsAsManyMessagesAsItsArgument() {
    RecentHistory history = new RecentHistory(length(new FieldValue.Int64(2)));
    add(history, 1, 5);
    assertThat(bodies(history)).containsExactly("4", "5");
  }

  @Test
  void recentHistoryOmitsMessagesWithTheNoStoreHeader() {
    RecentHistory history = new RecentHistory(FieldTable.EMPTY);
    FieldTable no = FieldTable.builder().put(NO_STORE, true).build();
    FieldTable yes = FieldTable.builder().put(NO_STORE, false).build();
    FieldTable other = FieldTable.builder().put(NO_STORE, "true").build();
    history.add(message("a", no));
    history.add(message("b", yes));
    history.add(message("c", other));
    assertThat(bodies(history)).containsExactly("b", "c");
  }

  @Test
  void returnedRecentHistoryDoesNotChange() {
    RecentHistory history = new RecentHistory(FieldTable.EMPTY);
    add(history, 1, 2);
    List<Message> before = history.messages();
    add(history, 3, 3);
    assertThat(before).hasSize(2);
  }

  @Test
  void lengthOfARecentHistoryMustBeAPositiveInteger() {
    for (FieldValue good :
        List.of(
            new FieldValue.Int8((byte) 1),
            new FieldValue.Int32(7),
            new FieldValue.Int64(1L << 40))) {
      assertThatCode(() -> RecentHistory.validate(length(good))).doesNotThrowAnyException();
    }
    assertThatCode(() -> RecentHistory.validate(FieldTable.EMPTY)).doesNotThrowAnyException();
    assertRefused(new FieldValue.Int32(0), "0");
    assertRefused(new FieldValue.Int64(-3), "-3");
    assertRefused(FieldValue.of("7"), "<<\"7\">>");
  }

  private static void assertRefused(FieldValue value, String shown) {
    assertThatThrownBy(() -> RecentHistory.validate(length(value)))
        .isInstanceOfSatisfying(
            ChannelException.class,
            error -> assertThat(error.code()).isEqualTo(ReplyCode.PRECONDITION_FAILED))
        .hasMessageContaining(
            "Invalid argument %s, '%s' must be a positive integer".formatted(shown, LENGTH));
  }
}
