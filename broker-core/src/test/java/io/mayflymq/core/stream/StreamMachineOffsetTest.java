package io.mayflymq.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where consumers begin: the same whether the messages are in memory or come from files. */
class StreamMachineOffsetTest {
  private final StreamRig rig = new StreamRig();

  /** Three batches: a and b at 10 s, c and d at 20 s, e at 30 s; the broker may restart then. */
  private void fill(boolean restart) {
    rig.at(10_000);
    rig.publish("a", "b");
    rig.at(20_000);
    rig.publish("c", "d");
    rig.at(30_000);
    rig.publish("e");
    if (restart) {
      rig.restart();
    }
  }

  private static FieldValue value(String offset) {
    return offset.matches("-?\\d+") ? new FieldValue.Int64(Long.parseLong(offset)) : text(offset);
  }

  private static FieldValue text(String text) {
    return FieldValue.of(text);
  }

  @ParameterizedTest
  @CsvSource({
    "first, abcde",
    "0, abcde",
    "-1, abcde",
    "2, cde",
    "4, e",
    "5, ''",
    "last, e",
    "next, ''",
  })
  void consumerStartsAtTheOffsetOfItsArgument(String offset, String expected) {
    for (boolean restart : new boolean[] {false, true}) {
      StreamMachineOffsetTest fresh = new StreamMachineOffsetTest();
      fresh.fill(restart);
      StreamRig.Reader reader = fresh.rig.read(value(offset));
      assertThat(String.join("", reader.taken())).isEqualTo(expected);
      fresh.rig.publish("f");
      assertThat(reader.taken()).containsExactly("f");
    }
  }

  /**
   * What a consumer joins again with, if its connection is lost before it has got anything. An
   * offset that it has asked for may not be safe yet at a new leader.
   */
  @ParameterizedTest
  @CsvSource({"first, 0", "-1, 0", "2, 2", "7, 7", "9, 9", "last, 5", "next, 5"})
  void consumerBeginsAtNoOffsetThatMayBeLostUnlessItHasAskedForIt(String offset, long expected) {
    fill(false);
    rig.append("f", "g");
    Consumer consumer = rig.read(value(offset)).consumer();
    assertThat(rig.machine().beginOf(consumer, rig.now())).isEqualTo(expected);
  }

  @Test
  void consumerWithoutAnOffsetStartsAtTheNextMessage() {
    fill(false);
    StreamRig.Reader reader = rig.read(FieldTable.EMPTY, 10);
    assertThat(reader.taken()).isEmpty();
    rig.publish("f");
    assertThat(reader.taken()).containsExactly("f");
  }

  @Test
  void consumerWaitsForAnOffsetNotYetWritten() {
    fill(false);
    StreamRig.Reader reader = rig.read(value("7"));
    rig.publish("f", "g");
    assertThat(reader.taken()).isEmpty();
    rig.publish("h", "i");
    assertThat(reader.taken()).containsExactly("h", "i");
    assertThat(reader.offsets()).containsExactly(7L, 8L);
  }

  @Test
  void offsetLastIsTheStartOfTheLastWrite() {
    for (boolean restart : new boolean[] {false, true}) {
      StreamRig fresh = new StreamRig();
      fresh.publish("a");
      fresh.publish("b", "c", "d");
      if (restart) {
        fresh.restart();
      }
      assertThat(fresh.read(text("last")).taken()).containsExactly("b", "c", "d");
    }
  }

  @ParameterizedTest
  @CsvSource({"0, abcde", "10, abcde", "11, cde", "20, cde", "30, e", "31, ''"})
  void timestampOffsetIsTheFirstMessageOfThatSecondOrLater(long second, String expected) {
    for (boolean restart : new boolean[] {false, true}) {
      StreamMachineOffsetTest fresh = new StreamMachineOffsetTest();
      long start = fresh.rig.now() / 1000;
      fresh.fill(restart);
      StreamRig.Reader reader = fresh.rig.read(new FieldValue.Timestamp(start + second));
      assertThat(String.join("", reader.taken())).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 1000 + 1, -1})
  void timestampOffsetTooLargeIsTheNextMessage(long seconds) {
    fill(false);
    StreamRig.Reader reader = rig.read(new FieldValue.Timestamp(seconds));
    assertThat(reader.taken()).isEmpty();
    rig.publish("f");
    assertThat(reader.taken()).containsExactly("f");
  }

  @ParameterizedTest
  @CsvSource({"1h, abcde", "25s, abcde", "24s, cde", "15s, cde", "5s, e", "4s, ''", "0s, ''"})
  void intervalOffsetCountsBackFromNow(String interval, String expected) {
    fill(false);
    rig.at(35_000);
    assertThat(String.join("", rig.read(text(interval)).taken())).isEqualTo(expected);
  }

  @Test
  void invalidOffsetIsRefused() {
    for (FieldValue value :
        List.of(text("begin"), text(""), text("1w"), FieldValue.Bool.of(true))) {
      FieldTable arguments = FieldTable.builder().put(StreamOffset.HEADER, value).build();
      assertThat(OffsetSpec.of(arguments)).as(value.toString()).isEmpty();
    }
  }

  @Test
  void offsetsContinueAfterARestart() {
    fill(true);
    rig.publish("f");
    StreamRig.Reader reader = rig.read(text("first"));
    assertThat(String.join("", reader.taken())).isEqualTo("abcdef");
    assertThat(reader.offsets()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
  }
}
