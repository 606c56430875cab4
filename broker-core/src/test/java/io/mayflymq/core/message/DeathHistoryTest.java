package io.mayflymq.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The history of deaths: how it is read, how it grows, and where it goes round in circles. */
class DeathHistoryTest {
  private static final Death DEATH =
      new Death("q", DeathReason.EXPIRED, 3, 1_800_000_000, "x", List.of("a", "b"), "10");

  @Test
  void historyIsReadBackFromItsHeader() {
    DeathHistory history = history(DEATH, death("other", DeathReason.REJECTED));

    assertThat(DeathHistory.of(headers(history.toFieldValue()))).isEqualTo(history);
  }

  @Test
  void historyWithoutAValidHeaderIsEmpty() {
    assertThat(DeathHistory.of(FieldTable.EMPTY).deaths()).isEmpty();
    assertThat(DeathHistory.of(headers(FieldValue.of("text"))).deaths()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"queue", "exchange", "reason", "routing-keys", "time", "count"})
  void entryOfXDeathWithoutARequiredFieldIsIgnored(String field) {
    FieldTable whole = table(DEATH);

    DeathHistory history = DeathHistory.of(headers(array(whole.without(field), whole)));

    assertThat(history).isEqualTo(history(DEATH));
  }

  static Stream<FieldTable> malformed() {
    FieldTable whole = table(DEATH);
    return Stream.of(
        whole.with("queue", new FieldValue.Int32(1)),
        whole.with("exchange", FieldValue.Void.INSTANCE),
        whole.with("reason", FieldValue.of("boredom")),
        whole.with("routing-keys", FieldValue.of("a")),
        whole.with("routing-keys", new FieldValue.Array(List.of(new FieldValue.Int32(1)))),
        whole.with("time", FieldValue.of("now")),
        whole.with("count", FieldValue.of("3")));
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void malformedEntryOfXDeathIsIgnored(FieldTable entry) {
    assertThat(DeathHistory.of(headers(array(entry))).deaths()).isEmpty();
  }

  @Test
  void countsInXDeathAreReadInAnyWidth() {
    FieldTable entry = table(DEATH).with("count", new FieldValue.UInt8(3));

    assertThat(DeathHistory.of(headers(array(entry)))).isEqualTo(history(DEATH));
  }

  @Test
  void elementOfXDeathThatIsNotATableIsIgnored() {
    FieldValue mixed =
        new FieldValue.Array(List.of(FieldValue.of("text"), new FieldValue.Table(table(DEATH))));

    assertThat(DeathHistory.of(headers(mixed))).isEqualTo(history(DEATH));
  }

  @Test
  void newDeathComesFirst() {
    Death death = death("q2", DeathReason.EXPIRED);

    assertThat(history(DEATH).with(death)).isEqualTo(history(death, DEATH));
  }

  @Test
  void repeatedDeathIsCountedAndComesFirst() {
    Death newer = death("q2", DeathReason.MAXLEN);
    Death again = new Death("q", DeathReason.EXPIRED, 1, 1_900_000_000, "y", List.of("c"), null);

    DeathHistory history = history(newer, DEATH).with(again);

    Death counted =
        new Death("q", DeathReason.EXPIRED, 4, 1_800_000_000, "x", List.of("a", "b"), "10");
    assertThat(history).isEqualTo(history(counted, newer));
  }

  @Test
  void returningToAQueueOfTheHistoryIsACycle() {
    DeathHistory history = history(death("a", DeathReason.EXPIRED), death("b", DeathReason.MAXLEN));

    assertThat(history.isCycle("a")).isTrue();
    assertThat(history.isCycle("b")).isTrue();
    assertThat(history.isCycle("c")).isFalse();
  }

  @Test
  void rejectionAsTheLastDeathIsNoCycle() {
    DeathHistory history =
        history(death("a", DeathReason.REJECTED), death("a", DeathReason.EXPIRED));

    assertThat(history.isCycle("a")).isFalse();
  }

  @Test
  void rejectionSinceTheDeathInAQueueBreaksItsCycle() {
    DeathHistory history =
        history(
            death("a", DeathReason.EXPIRED),
            death("b", DeathReason.REJECTED),
            death("c", DeathReason.EXPIRED));

    assertThat(history.isCycle("a")).isTrue();
    assertThat(history.isCycle("b")).as("that it was rejected there counts").isFalse();
    assertThat(history.isCycle("c")).isFalse();
  }

  @Test
  void rejectionBeforeTheDeathInAQueueDoesNotBreakItsCycle() {
    DeathHistory history =
        history(
            death("a", DeathReason.EXPIRED),
            death("b", DeathReason.EXPIRED),
            death("c", DeathReason.REJECTED));

    assertThat(history.isCycle("b")).isTrue();
  }

  private static DeathHistory history(Death... deaths) {
    return new DeathHistory(List.of(deaths));
  }

  private static Death death(String queue, DeathReason reason) {
    return new Death(queue, reason, 1, 1_800_000_000, "x", List.of("k"), null);
  }

  private static FieldTable table(Death death) {
    FieldValue.Array array = (FieldValue.Array) history(death).toFieldValue();
    return ((FieldValue.Table) array.values().get(0)).table();
  }

  private static FieldValue array(FieldTable... entries) {
    return new FieldValue.Array(
        Arrays.stream(entries).map(entry -> (FieldValue) new FieldValue.Table(entry)).toList());
  }

  private static FieldTable headers(FieldValue death) {
    return FieldTable.builder().put("x-death", death).build();
  }
}
