package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.proof.Claim;
import io.mayflymq.core.proof.ClaimId;
import io.mayflymq.core.proof.DeadLetterRoutes;
import io.mayflymq.core.proof.DeadLetterWay.Target;
import io.mayflymq.core.proof.QueueFacts;
import io.mayflymq.core.proof.QueueProof;
import io.mayflymq.core.proof.Surroundings;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.vhost.TestBroker.Collector;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.Int64Header;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a proof says can happen to messages does happen to them in a broker. */
class ClaimRunsTest {
  private static final Settlement FAIL = ShardCommandSender::fail;

  private final List<Integer> confirmed = new ArrayList<>();
  private final List<Integer> refused = new ArrayList<>();
  private final PublishListener listener =
      (sequence, accepted) -> (accepted ? confirmed : refused).add((int) sequence);

  private TestBroker broker = TestBroker.of(2);

  private static FieldTable arguments(Object... namesAndValues) {
    FieldTable.Builder arguments = FieldTable.builder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      String name = (String) namesAndValues[i];
      if (namesAndValues[i + 1] instanceof Integer number) {
        arguments.put(name, number);
      } else {
        arguments.put(name, (String) namesAndValues[i + 1]);
      }
    }
    return arguments.build();
  }

  private Set<ClaimId> claims(String name) {
    Queue queue = broker.queue(name);
    DeadLetterRoutes<Queue> routes = new DeadLetterRoutes<>(broker.vhost.routing(), Queue::name);
    Target own =
        new Target(
            AutoDeadLetterQueue.nameOf(name),
            queue.definition().durable(),
            true,
            QueueSettings.DEFAULT);
    QueueFacts facts =
        new QueueFacts(
            TestBroker.VHOST,
            queue.definition(),
            true,
            broker.vhost.policies().table(),
            settings -> routes.way(name, settings, own, target -> target(queue, target)),
            Surroundings.DEFAULT);
    Set<ClaimId> ids = EnumSet.noneOf(ClaimId.class);
    QueueProof.of(facts).stream().map(Claim::id).forEach(ids::add);
    return ids;
  }

  private Target target(Queue source, String name) {
    Queue target = broker.queue(name);
    return new Target(
        name,
        target.kept() != QueueStore.Kept.NONE,
        source.partition() == target.partition(),
        target.settings());
  }

  /** Tells a listener whether it is in the queue. */
  private void publishing(String queue, Message message) {
    broker.publishing(broker.queue(queue), message, listener);
  }

  private void settle(Settlement settlement, String queue) {
    GetResult got = broker.fetch(queue);
    broker.settling(
        settlement, broker.queue(queue), TestBroker.getter(), got.sequence(), got.sequence());
    broker.trimMemory();
  }

  private void assertDropped(String queue) {
    assertThat(broker.drain(queue)).isEmpty();
    broker = broker.afterKill();
    assertThat(broker.recovered.messages()).as("anywhere").isZero();
  }

  @Test
  void unconfirmedMessageIsLost() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.UNCONFIRMED_LOST);
    publishing("q", TestBroker.message(1));
    broker = broker.afterPowerLoss();
    assertThat(confirmed).isEmpty();
    assertThat(broker.drain("q")).isEmpty();
  }

  @Test
  void messagePublishedAgainIsThereTwice() {
    broker.declareOn(0, "q");
    assertThat(claims("q")).contains(ClaimId.PUBLISHED_AGAIN);
    publishing("q", TestBroker.message(1));
    broker.trimMemory();
    // The process ends before its confirm is on its way.
    broker = broker.afterKill();
    publishing("q", TestBroker.message(1));
    broker.trimMemory();
    assertThat(broker.drain("q")).containsExactly(1, 1);
  }

  @Test
  void transientQueueGoesWithTheBroker() {
    broker.declaring("q", false, FieldTable.EMPTY);
    broker.trimMemory();
    assertThat(claims("q"))
        .contains(ClaimId.QUEUE_GOES)
        .doesNotContain(ClaimId.CONFIRMED_KEPT, ClaimId.SETTLED_GONE);
    broker.publish("q", 1);
    broker = broker.afterKill();
    assertThat(broker.queue("q")).isNull();
    assertThat(broker.recovered.messages()).isZero();
  }

  @Test
  void transientMessageGoesWithTheBroker() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.TRANSIENT_LOST);
    publishing("q", TestBroker.message(1, false, Message.NO_TTL, 0));
    broker.trimMemory();
    assertThat(confirmed).containsExactly(1);
    broker = broker.afterKill();
    assertThat(broker.drain("q")).isEmpty();
  }

  @Test
  void messagesAreLostWithTheDisk() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.DISK_LOST);
    publishing("q", TestBroker.message(1));
    broker.trimMemory();
    assertThat(confirmed).containsExactly(1);
    broker = broker.on(new MemoryHost(), broker.metadata.afterCrash(), 2, UnaryOperator.identity());
    assertThat(broker.drain("q")).isEmpty();
  }

  @Test
  void messageThatExpiresIsDropped() {
    broker.declare("q", arguments("x-message-ttl", 100));
    assertThat(claims("q")).contains(ClaimId.EXPIRED_DROPPED);
    broker.publish("q", 1);
    broker.advance(200);
    assertDropped("q");
  }

  @Test
  void messageWhosePublisherSetsAnExpirationIsDropped() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.EXPIRED_DROPPED);
    publishing("q", TestBroker.message(1, true, 100, 0));
    broker.advance(200);
    assertDropped("q");
  }

  @Test
  void rejectedMessageIsDropped() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.REJECTED_DROPPED);
    broker.publish("q", 1);
    settle(Settlement.REJECT, "q");
    broker.advance(1100);
    assertDropped("q");
  }

  @Test
  void confirmedMessagesAreDroppedAtTheLimit() {
    broker.declare("q", arguments("x-max-length", 2));
    assertThat(claims("q")).contains(ClaimId.LIMIT_DROPS);
    for (int number = 1; number <= 3; number++) {
      publishing("q", TestBroker.message(number));
    }
    broker.trimMemory();
    assertThat(confirmed).containsExactly(1, 2, 3);
    assertThat(broker.drain("q")).containsExactly(2, 3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"reject-publish", "reject-publish-dlx"})
  void newMessagesAreRefusedAtTheLimit(String overflow) {
    broker.declare("q", arguments("x-max-length", 1, "x-overflow", overflow));
    assertThat(claims("q")).contains(ClaimId.LIMIT_REFUSES).doesNotContain(ClaimId.LIMIT_DROPS);
    publishing("q", TestBroker.message(1));
    publishing("q", TestBroker.message(2));
    broker.trimMemory();
    assertThat(refused).containsExactly(2);
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void publishersWaitAtTheLimitAndAreRefusedInTheEnd() {
    broker.declare(
        "q", arguments("x-max-length", 1, "x-overflow", "block", "x-block-timeout", 1_000));
    assertThat(claims("q"))
        .contains(ClaimId.BLOCKED_LATE, ClaimId.LIMIT_REFUSES)
        .doesNotContain(ClaimId.LIMIT_DROPS);
    publishing("q", TestBroker.message(1));
    publishing("q", TestBroker.message(2));
    publishing("q", TestBroker.message(3));
    broker.trimMemory();
    assertThat(confirmed).containsExactly(1);
    broker.advance(500);
    assertThat(TestBroker.numberOf(broker.fetch("q").message())).isEqualTo(1);
    assertThat(confirmed).containsExactly(1, 2);
    broker.advance(600);
    assertThat(refused).containsExactly(3);
  }

  @Test
  void messageWhoseDeliveriesFailIsDropped() {
    broker.declare("q", arguments("x-queue-type", "quorum", "x-delivery-limit", 1));
    assertThat(claims("q")).contains(ClaimId.DELIVERY_LIMIT_DROPS);
    broker.publish("q", 1);
    settle(FAIL, "q");
    settle(FAIL, "q");
    broker.advance(1100);
    assertDropped("q");
  }

  @Test
  void unusedQueueIsDeletedWithItsMessages() {
    broker.declare("q", arguments("x-expires", 100, "x-dead-letter-queue", "auto"));
    assertThat(claims("q")).contains(ClaimId.LEASE_DELETES);
    broker.publish("q", 1);
    broker.advance(1200);
    assertThat(broker.queue("q")).isNull();
    broker = broker.afterKill();
    assertThat(broker.recovered.messages()).isZero();
  }

  @Test
  void deletedQueueIsGoneWithItsMessages() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.DELETED_LOST).doesNotContain(ClaimId.DELETED_KEPT);
    broker.publish("q", 1);
    broker.delete("q");
    assertThat(broker.vhost.deletedQueues()).isEmpty();
    broker = broker.afterKill();
    assertThat(broker.recovered.messages()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a client", "its lease", "its last consumer"})
  void deletedQueueComesBackWithinItsTimeAndNotLater(String by) {
    FieldTable arguments = arguments("x-recoverable", 60_000, "x-expires", 500);
    broker.vhost.declareQueue(
        new QueueDeclaration(
            "q",
            true,
            false,
            by.equals("its last consumer"),
            arguments,
            broker,
            broker.shards.get(0),
            false,
            true));
    broker.trimMemory();
    assertThat(claims("q"))
        .contains(ClaimId.DELETED_KEPT, ClaimId.DELETED_LOST, ClaimId.LEASE_DELETES);
    deleteWithTwo(by);
    broker = broker.afterKill();
    broker.advance(50_000);
    broker.undelete("q");
    broker.trimMemory();
    assertThat(broker.drain("q")).containsExactly(1, 2);

    deleteWithTwo(by);
    broker.advance(62_000);
    assertThat(broker.vhost.deletedQueues()).isEmpty();
    broker = broker.afterKill();
    assertThat(broker.recovered.messages()).isZero();
  }

  private void deleteWithTwo(String by) {
    broker.publish("q", 1, 2);
    switch (by) {
      case "a client" -> broker.delete("q");
      case "its lease" -> broker.advance(1_500);
      default -> {
        Collector consumer = broker.consume("q", true, 1);
        broker.queue("q").requests().cancel(consumer.consumer);
        broker.trimMemory();
      }
    }
    assertThat(broker.queue("q")).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"message-ttl", "max-length"})
  void policyTakesMessagesThatAreThere(String key) {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.POLICY_TAKES);
    broker.publish("q", 1);
    broker.advance(10);
    broker
        .vhost
        .policies()
        .set(Policy.of(PolicyKind.POLICY, "p", "^q$", "queues", 0, Map.of(key, 0)));
    broker.advance(1100);
    assertDropped("q");
  }

  @ParameterizedTest
  @ValueSource(strings = {"message-ttl", "max-length"})
  void adoptedArgumentTakesMessagesThatAreThere(String key) {
    broker
        .vhost
        .policies()
        .set(Policy.of(PolicyKind.POLICY, "p", "^q$", "queues", 0, Map.of("on-mismatch", "adopt")));
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.POLICY_TAKES);
    broker.publish("q", 1);
    broker.advance(10);
    broker.declare("q", arguments("x-" + key, 0));
    broker.advance(1100);
    assertDropped("q");
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "amq.direct"})
  void deadLetterThatNoExchangeTakesIsDropped(String exchange) {
    broker.declare(
        "q", arguments("x-dead-letter-exchange", exchange, "x-dead-letter-routing-key", "none"));
    assertThat(claims("q"))
        .contains(ClaimId.DEAD_LETTER_LOST)
        .doesNotContain(ClaimId.REJECTED_DROPPED, ClaimId.DEAD_LETTERS_KEPT);
    broker.publish("q", 1);
    settle(Settlement.REJECT, "q");
    broker.advance(1100);
    assertDropped("q");
  }

  @Test
  void deadLetterThatAFullQueueRefusesIsDropped() {
    broker.declare("dead", arguments("x-max-length", 0, "x-overflow", "reject-publish"));
    broker.declare(
        "q",
        arguments(
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "dead",
            "x-dead-letter-refused", "drop"));
    assertThat(claims("q"))
        .contains(ClaimId.DEAD_LETTER_LOST)
        .doesNotContain(ClaimId.DEAD_LETTERS_KEPT);
    broker.publish("q", 1);
    settle(Settlement.REJECT, "q");
    broker.advance(1100);
    assertDropped("q");
  }

  @Test
  void deadLetterInATransientQueueGoesWithTheBroker() {
    broker.declaring("dead", false, FieldTable.EMPTY);
    broker.declare("q", TestBroker.deadLetteringTo("dead"));
    assertThat(claims("q"))
        .contains(ClaimId.DEAD_LETTER_LOST)
        .doesNotContain(ClaimId.DEAD_LETTERS_KEPT);
    broker.publish("q", 1);
    settle(Settlement.REJECT, "q");
    broker.advance(1100);
    assertDropped("q");
  }

  @Test
  void expiredMessageThatComesBackToItsQueueIsDropped() {
    broker.declare("retry", dyingTo("q"));
    broker.declare("q", dyingTo("retry"));
    assertThat(claims("q"))
        .contains(ClaimId.DEAD_LETTER_LOST)
        .doesNotContain(ClaimId.DEAD_LETTERS_KEPT);
    broker.publish("q", 1);
    broker.advance(2000);
    assertDropped("q");
  }

  @Test
  void deadLetterIsDroppedOnceItsQueueIsNotBound() {
    broker.declare("dead");
    Binding binding = Binding.toQueue("amq.direct", "dead", "died");
    broker.vhost.bind(binding, this);
    broker.declare(
        "q",
        arguments("x-dead-letter-exchange", "amq.direct", "x-dead-letter-routing-key", "died"));
    assertThat(claims("q")).contains(ClaimId.DEAD_LETTER_LOST, ClaimId.DEAD_LETTERS_KEPT);
    broker.vhost.unbind(binding, this);
    broker.trimMemory();
    assertThat(claims("q")).doesNotContain(ClaimId.DEAD_LETTERS_KEPT);
    broker.publish("q", 1);
    settle(Settlement.REJECT, "q");
    broker.advance(1100);
    assertDropped("q");
  }

  @Test
  void deadLettersThatKeepAreInAQueueOfTheirOwnAtOnce() {
    broker.declare("q", arguments("x-dead-letter-queue", "auto"));
    assertThat(claims("q"))
        .contains(ClaimId.DEAD_LETTERS_KEPT)
        .doesNotContain(
            ClaimId.DEAD_LETTER_LOST, ClaimId.DEAD_LETTER_TWICE, ClaimId.REJECTED_DROPPED);
    broker.publish("q", 1);
    settle(Settlement.REJECT, "q");
    broker.advance(1100);
    assertThat(broker.drain("q.$dlq")).containsExactly(1);
  }

  private static FieldTable dyingTo(String queue) {
    return TestBroker.deadLetteringTo(queue).toBuilder().put("x-message-ttl", 100).build();
  }

  @Test
  void consumerWithoutAcknowledgementsLosesWhatItWasSent() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.NO_ACK_LOST);
    Collector consumer = broker.consume("q", false, 0);
    consumer.full = false;
    broker.publish("q", 1, 2);
    broker.queue("q").requests().cancel(consumer.consumer);
    broker.advance(1100);
    assertDropped("q");
  }

  @Test
  void messageWaitsWithAConsumerThatHangs() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.HELD_LATE);
    Collector hangs = broker.consume("q", true, 1);
    broker.publish("q", 1);
    Collector other = broker.consume("q", true, 1);
    broker.advance(60_000);
    assertThat(hangs.numbers()).containsExactly(1);
    assertThat(other.numbers()).isEmpty();
  }

  @Test
  void messageThatFailsWaitsForItsRetry() {
    broker.declare(
        "q",
        arguments(
            "x-queue-type", "quorum", "x-delayed-retry-type", "all", "x-delayed-retry-min", 500));
    assertThat(claims("q")).contains(ClaimId.RETRY_LATE);
    broker.publish("q", 1, 2);
    settle(FAIL, "q");
    assertThat(broker.drain("q")).containsExactly(2);
    broker.advance(600);
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void messageThatHasATimeWaitsForIt() {
    broker.declare("q", arguments("x-deliver-at-header", "at"));
    assertThat(claims("q")).contains(ClaimId.SCHEDULED_LATE);
    Message later =
        TestBroker.message(1).with(new Int64Header("at"), broker.clock().millis() + 500);
    broker.publishing(broker.queue("q"), later, null);
    broker.publish("q", 2);
    assertThat(broker.drain("q")).containsExactly(2);
    broker.advance(500);
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void returnedMessageComesBehindLaterOnes() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.RETURNED_OVERTAKEN);
    Collector first = broker.consume("q", true, 1);
    Collector second = broker.consume("q", true, 2);
    broker.publish("q", 1, 2);
    assertThat(first.numbers()).containsExactly(1);
    Collector.Delivery returned = first.deliveries.get(0);
    first.full = true;
    broker.settling(
        Settlement.REQUEUE,
        broker.queue("q"),
        first.consumer,
        returned.sequence(),
        returned.sequence());
    broker.trimMemory();
    assertThat(second.numbers()).containsExactly(2, 1);
  }

  @Test
  void messageWithoutAnAcknowledgementComesAgain() {
    broker.declare("q");
    assertThat(claims("q")).contains(ClaimId.REDELIVERED);
    broker.publish("q", 1);
    broker.fetch("q");
    broker.advance(1100);
    broker = broker.afterKill();
    GetResult again = broker.fetch("q");
    assertThat(TestBroker.numberOf(again.message())).isEqualTo(1);
    assertThat(again.redelivered()).isTrue();
  }
}
