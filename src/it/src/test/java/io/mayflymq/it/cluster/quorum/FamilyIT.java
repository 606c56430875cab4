package io.mayflymq.it.cluster.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.cluster.fault.Ledger;
import io.mayflymq.it.rounds.Stream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checker of {@link QuorumRoundsIT} finds what a broker could do wrong, and nothing else. */
class FamilyIT {
  private static final String CLIENT = "client";
  private static final long FIRST = Stream.id(1, 0);
  private static final long SECOND = Stream.id(1, 1);

  private final Family family =
      new Family("queue", "dead", Duration.ofHours(1), Map.of("x-delivery-limit", 2));
  private final Ledger queue = family.queue();
  private final Ledger deadLetters = family.deadLetters();

  private void publish(long... ids) {
    for (long id : ids) {
      queue.publishing(id, CLIENT);
      queue.confirmed(id);
    }
  }

  private List<String> check(List<Long> inQueue, List<Long> dead) {
    return family.check(inQueue, dead, System.nanoTime());
  }

  @Test
  void aMessageIsInTheQueueOrDeadOrTaken() {
    long third = Stream.id(1, 2);
    long unconfirmed = Stream.id(1, 3);
    publish(FIRST, SECOND, third);
    queue.publishing(unconfirmed, CLIENT);
    queue.delivered(third, false, CLIENT);
    queue.settling(third);
    assertThat(family.lacks(Set.of(FIRST, SECOND))).isFalse();
    assertThat(check(List.of(FIRST), List.of(SECOND))).isEmpty();
    assertThat(check(List.of(unconfirmed, FIRST), List.of(SECOND))).isEmpty();
  }

  @Test
  void aConfirmedMessageThatIsNowhereIsLost() {
    publish(FIRST, SECOND);
    queue.delivered(FIRST, false, CLIENT);
    assertThat(family.lacks(Set.of(SECOND))).isTrue();
    assertThat(check(List.of(SECOND), List.of()))
        .singleElement()
        .asString()
        .contains("queue: lost: 1 messages", "1/0", "published", "confirmed", "delivered");
  }

  @Test
  void aMessageThatWasNotPublishedIsUnexpected() {
    queue.delivered(FIRST, false, CLIENT);
    assertThat(check(List.of(), List.of())).singleElement().asString().contains("unexpected");
  }

  @Test
  void aMessageThatWasGoneIsUnexpected() {
    publish(FIRST);
    queue.settling(FIRST);
    family.takeAsTruth(Set.of());
    queue.delivered(FIRST, true, CLIENT);
    assertThat(check(List.of(), List.of()))
        .singleElement()
        .asString()
        .contains("unexpected", "gone after", "acknowledged");
  }

  @Test
  void twoFirstDeliveriesAreOneTooMany() {
    publish(FIRST);
    queue.delivered(FIRST, true, CLIENT);
    queue.delivered(FIRST, false, CLIENT);
    assertThat(check(List.of(FIRST), List.of())).isEmpty();
    queue.delivered(FIRST, false, CLIENT);
    assertThat(check(List.of(FIRST), List.of()))
        .singleElement()
        .asString()
        .contains("not as redelivered");
  }

  @Test
  void aMessageIsInTheQueueOnce() {
    publish(FIRST);
    assertThat(check(List.of(FIRST, FIRST), List.of()))
        .singleElement()
        .asString()
        .contains("twice");
  }

  @Test
  void aDeadLetterMayBeThereTwice() {
    publish(FIRST);
    deadLetters.delivered(FIRST, false, CLIENT);
    deadLetters.delivered(FIRST, false, CLIENT);
    assertThat(family.tally().deadLettersDoubled()).isEqualTo(1);
    family.faultBegins(true);
    assertThat(check(List.of(), List.of(FIRST, FIRST)))
        .singleElement()
        .asString()
        .contains("dead: early");
  }

  @Test
  void aDeadLetterIsNotEarlyWhereClocksAreSet() {
    family.faultBegins(true);
    publish(FIRST);
    deadLetters.delivered(FIRST, false, CLIENT);
    assertThat(check(List.of(), List.of(FIRST))).isEmpty();
  }

  @Test
  void whatIsKnownToBeSettledDoesNotComeBack() {
    publish(FIRST);
    queue.delivered(FIRST, false, CLIENT);
    queue.settling(FIRST);
    queue.settled(FIRST);
    family.faultBegins(false);
    queue.delivered(FIRST, true, CLIENT);
    assertThat(check(List.of(FIRST), List.of())).singleElement().asString().contains("back after");
  }

  @Test
  void whatIsSettledDuringAFaultMayComeBack() {
    publish(FIRST, SECOND);
    queue.delivered(FIRST, false, CLIENT);
    family.faultBegins(false);
    queue.delivered(SECOND, false, CLIENT);
    for (long id : new long[] {FIRST, SECOND}) {
      queue.settling(id);
      queue.settled(id);
      queue.delivered(id, true, CLIENT);
    }
    assertThat(check(List.of(FIRST, SECOND), List.of())).isEmpty();
  }

  @Test
  void firstDeliveriesAreInOrder() {
    publish(FIRST, SECOND);
    queue.delivered(SECOND, false, CLIENT);
    queue.delivered(FIRST, false, CLIENT);
    assertThat(check(List.of(FIRST, SECOND), List.of()))
        .singleElement()
        .asString()
        .contains("1/1 before 1/0");
  }

  @Test
  void firstDeliveriesMayBeOutOfOrderOnceAnotherConsumerLeaves() {
    publish(FIRST, SECOND);
    queue.delivered(SECOND, false, CLIENT);
    queue.leaves("another", true);
    queue.delivered(FIRST, false, CLIENT);
    assertThat(check(List.of(FIRST, SECOND), List.of())).isEmpty();
    queue.delivered(SECOND, true, CLIENT);
    queue.leaves(CLIENT, true);
    assertThat(check(List.of(FIRST, SECOND), List.of())).isEmpty();
  }

  @Test
  void firstDeliveriesAreInOrderUntilAnotherConsumerLeaves() {
    publish(FIRST, SECOND);
    queue.delivered(SECOND, false, CLIENT);
    queue.delivered(FIRST, false, CLIENT);
    queue.leaves("another", true);
    assertThat(check(List.of(FIRST, SECOND), List.of())).hasSize(1);
  }

  @Test
  void aMessageThatWasNotConfirmedMayBeThere() {
    queue.publishing(FIRST, CLIENT);
    queue.delivered(FIRST, false, CLIENT);
    assertThat(family.tally().recovered()).isEqualTo(1);
    assertThat(check(List.of(FIRST), List.of())).isEmpty();
  }
}
