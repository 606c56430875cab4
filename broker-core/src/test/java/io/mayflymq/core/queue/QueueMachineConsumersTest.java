package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.QueueLog.Delivery;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets which message. */
class QueueMachineConsumersTest {
  private final ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);

  @Test
  void messagesAreDeliveredToConsumersInTurns() {
    Consumer first = queue.subscribe(0);
    Consumer second = queue.subscribe(0);
    Consumer third = queue.subscribe(0);

    queue.publishMany(7);

    assertThat(queue.deliveredTo(first)).containsExactly(0, 3, 6);
    assertThat(queue.deliveredTo(second)).containsExactly(1, 4);
    assertThat(queue.deliveredTo(third)).containsExactly(2, 5);
  }

  @Test
  void backlogIsDeliveredInTurnsUpToEachPrefetch() {
    Consumer first = queue.consumer(2);
    Consumer second = queue.consumer(3);
    ManualQueue.setRoom(first, 0);
    queue.machine.subscribe(first, queue.now);
    queue.publishMany(10);
    ManualQueue.setRoom(first, 100);

    queue.machine.subscribe(second, queue.now);
    queue.machine.resume(first, queue.now);

    assertThat(queue.deliveredTo(second)).containsExactly(0, 1, 2);
    assertThat(queue.deliveredTo(first)).containsExactly(3, 4);
    assertThat(queue.machine.readyCount()).isEqualTo(5);
    assertThat(queue.machine.totals().unacked()).isEqualTo(5);
  }

  @Test
  void consumerAtItsPrefetchLimitGetsAMessageAfterAnAcknowledgement() {
    Consumer first = queue.subscribe(1);
    Consumer second = queue.subscribe(1);
    queue.publishMany(5);
    assertThat(queue.delivered()).containsExactly(0, 1);

    queue.machine.acknowledge(second, 1, 1, queue.now);
    queue.machine.reject(second, 2, 2, DropTrigger.CONSUMER, queue.now);
    queue.machine.acknowledge(first, 0, 0, queue.now);

    assertThat(queue.deliveredTo(second)).containsExactly(1, 2, 3);
    assertThat(queue.deliveredTo(first)).containsExactly(0, 4);
    assertThat(first.unacked()).isOne();
    assertThat(queue.dead(DeathReason.REJECTED)).containsExactly(2);
    assertThat(queue.settled).containsExactly(1L, 2L, 0L);
  }

  @Test
  void autoAckConsumerIgnoresPrefetchAndHasNoUnacknowledgedMessages() {
    queue.machine.subscribe(queue.consumer(false, false, 1), queue.now);

    queue.publishMany(2);

    assertThat(queue.deliveries)
        .containsExactly(new Delivery(1, 0, false, false), new Delivery(1, 1, false, false));
    assertThat(queue.stored).as("nothing to keep").isEmpty();
    assertThat(queue.machine.totals().unacked()).isZero();
  }

  @Test
  void deliveryToAnAutoAckConsumerSettlesTheStoredMessage() {
    queue.publishMany(2);

    queue.machine.subscribe(queue.consumer(false, false, 0), queue.now);

    assertThat(queue.stored).containsExactly(0L, 1L);
    assertThat(queue.settled).containsExactly(0L, 1L);
  }

  @Test
  void transientMessagesAreNeitherStoredNorSettled() {
    queue.publish(1, -1, false);
    queue.subscribe(0);
    queue.publish(1, -1, false);
    Consumer consumer = queue.machine.consumers().get(0);
    queue.machine.acknowledge(consumer, 0, 1, queue.now);

    assertThat(queue.delivered()).containsExactly(0, 1);
    assertThat(queue.stored).isEmpty();
    assertThat(queue.settled).isEmpty();
  }

  @Test
  void consumerWithoutRoomIsSkippedAndRejoinsAtTheEnd() {
    Consumer slow = queue.consumer(0);
    ManualQueue.setRoom(slow, 1);
    queue.machine.subscribe(slow, queue.now);
    Consumer quick = queue.subscribe(0);

    queue.publishMany(4);
    assertThat(queue.deliveredTo(slow)).containsExactly(0);
    assertThat(queue.deliveredTo(quick)).containsExactly(1, 2, 3);

    ManualQueue.setRoom(slow, 10);
    queue.machine.resume(slow, queue.now);
    queue.publishMany(2);

    assertThat(queue.deliveredTo(quick)).containsExactly(1, 2, 3, 4);
    assertThat(queue.deliveredTo(slow)).containsExactly(0, 5);
  }

  @Test
  void settlingDoesNotResumeAConsumerWithoutRoom() {
    Consumer consumer = queue.consumer(0);
    ManualQueue.setRoom(consumer, 1);
    queue.machine.subscribe(consumer, queue.now);
    queue.publishMany(2);
    ManualQueue.setRoom(consumer, 1);

    queue.machine.acknowledge(consumer, 0, 0, queue.now);
    assertThat(queue.delivered()).containsExactly(0);
    queue.machine.resume(consumer, queue.now);

    assertThat(queue.delivered()).containsExactly(0, 1);
  }

  @Test
  void requeuedMessagesReturnToTheirPlaceMarkedAsRedelivered() {
    queue.publishMany(4);
    assertThat(List.of(queue.fetch(), queue.fetch(), queue.fetch())).containsExactly(0, 1, 2);

    queue.machine.requeue(queue.getter, 2, 2, queue.now);
    queue.machine.requeue(queue.getter, 0, 0, queue.now);
    queue.subscribe(0);

    assertThat(queue.deliveries)
        .containsExactly(
            new Delivery(1, 0, true, true),
            new Delivery(1, 2, true, true),
            new Delivery(1, 3, true, false));
  }

  @Test
  void acknowledgingARangeSkipsMessagesThatAreNotUnacknowledged() {
    queue.publishMany(4);
    queue.fetch();
    queue.machine.fetch(false, queue.now);
    queue.fetch();

    queue.machine.acknowledge(queue.getter, 0, 1_000, queue.now);
    queue.machine.acknowledge(queue.getter, 0, 1_000, queue.now);

    assertThat(queue.settled).containsExactly(1L, 0L, 2L);
    assertThat(queue.machine.readyCount()).isOne();
    assertThat(queue.machine.totals().unacked()).isZero();
  }

  @Test
  void cancelledConsumerGetsNothingAndCanSettle() {
    Consumer consumer = queue.subscribe(1);
    queue.publishMany(2);

    queue.machine.cancel(consumer, queue.now);
    assertThat(queue.machine.totals().unacked()).isOne();
    queue.machine.requeue(consumer, 0, 0, queue.now);
    ManualQueue.setRoom(consumer, 10);
    queue.machine.resume(consumer, queue.now);

    assertThat(queue.delivered()).containsExactly(0);
    assertThat(queue.machine.readyCount()).isEqualTo(2);
    assertThat(queue.machine.consumers()).isEmpty();
  }

  @Test
  void messagesRequeuedByACancelledConsumerGoToTheNextConsumer() {
    Consumer first = queue.subscribe(0);
    queue.publishMany(2);
    Consumer second = queue.subscribe(0);

    queue.machine.cancel(first, queue.now);
    queue.machine.requeue(first, 0, 1, queue.now);

    assertThat(queue.deliveredTo(second)).containsExactly(0, 1);
    assertThat(queue.deliveries.get(2).redelivered()).isTrue();
  }

  @Test
  void stoppedConsumerGetsNothingAndStaysTheActiveOne() {
    ManualQueue single = new ManualQueue(QueueValues.NONE.withSingleActiveConsumer().settings());
    Consumer first = single.subscribe(2);
    Consumer second = single.subscribe(0);
    single.publishMany(4);

    single.machine.stop(first);
    single.machine.requeue(first, 0, 1, single.now);
    assertThat(single.deliveredTo(first)).containsExactly(0, 1);
    assertThat(single.deliveredTo(second)).isEmpty();
    assertThat(single.machine.isActive(first)).isTrue();

    single.machine.cancel(first, single.now);
    assertThat(single.deliveredTo(second)).containsExactly(0, 1, 2, 3);
  }

  /** RabbitMQ 4.3.6 was seen to do the same. */
  @Test
  void consumerOfAHigherPriorityTakesOverWhenTheActiveOneHasSettledAll() {
    ManualQueue single =
        new ManualQueue(
            QueueValues.NONE.withSingleActiveConsumer().of(QueueType.QUORUM).settings());
    Consumer low = single.subscribe(10);
    single.publishMany(1);
    Consumer high = single.subscribeWithPriority(10, 5);
    Consumer higher = single.subscribeWithPriority(10, 9);
    Consumer equal = single.subscribeWithPriority(10, 9);
    single.publishMany(1);
    assertThat(single.deliveredTo(low)).containsExactly(0);
    assertThat(single.machine.isActive(low)).isTrue();

    single.machine.acknowledge(low, 0, 0, single.now);
    single.publishMany(1);
    assertThat(single.deliveredTo(higher)).containsExactly(1, 2);
    assertThat(single.machine.isActive(low)).isFalse();

    single.machine.cancel(higher, single.now);
    assertThat(single.machine.isActive(equal)).isTrue();
    single.machine.cancel(equal, single.now);
    assertThat(single.machine.isActive(high)).isTrue();
  }

  @Test
  void activeConsumerGoesOnIfTheOneThatWasToTakeOverLeaves() {
    ManualQueue single =
        new ManualQueue(
            QueueValues.NONE.withSingleActiveConsumer().of(QueueType.QUORUM).settings());
    Consumer low = single.subscribe(10);
    single.publishMany(1);
    Consumer high = single.subscribeWithPriority(10, 5);
    single.publishMany(1);
    single.machine.cancel(high, single.now);
    assertThat(single.deliveredTo(low)).containsExactly(0, 1);
  }

  @Test
  void activeConsumerWithoutRoomIsReplacedToo() {
    ManualQueue single =
        new ManualQueue(
            QueueValues.NONE.withSingleActiveConsumer().of(QueueType.QUORUM).settings());
    Consumer low = single.subscribe(10);
    ManualQueue.setRoom(low, 1);
    single.publishMany(2);
    Consumer high = single.subscribeWithPriority(10, 5);
    single.machine.acknowledge(low, 0, 0, single.now);
    assertThat(single.deliveredTo(low)).containsExactly(0);
    assertThat(single.deliveredTo(high)).containsExactly(1);
  }

  @Test
  void whatTheActiveConsumerReturnsGoesToTheOneThatTakesOver() {
    ManualQueue single =
        new ManualQueue(
            QueueValues.NONE.withSingleActiveConsumer().of(QueueType.QUORUM).settings());
    Consumer low = single.subscribe(10);
    single.publishMany(2);
    Consumer high = single.subscribeWithPriority(10, 5);
    single.machine.requeue(low, 0, 0, single.now);
    assertThat(single.deliveredTo(high)).isEmpty();
    single.machine.requeue(low, 1, 1, single.now);
    assertThat(single.deliveredTo(low)).containsExactly(0, 1);
    assertThat(single.deliveredTo(high)).containsExactly(0, 1);
  }

  @Test
  void priorityDecidesFromAChangeOfTheSettingsOn() {
    QueueValues settings =
        QueueValues.NONE.of(QueueType.QUORUM).withSingleActiveConsumer().in(Dialect.V3_13);
    ManualQueue single = new ManualQueue(settings.settings());
    Consumer low = single.subscribe(10);
    Consumer high = single.subscribeWithPriority(10, 5);
    single.publishMany(1);
    single.machine.reconfigure(settings.in(Dialect.V4_3).settings(), single.now);
    single.publishMany(1);
    assertThat(single.deliveredTo(low)).containsExactly(0);
    single.machine.reconfigure(settings.settings(), single.now);
    assertThat(single.deliveredTo(low)).containsExactly(0, 1);
    single.machine.acknowledge(low, 0, 1, single.now);
    assertThat(single.machine.isActive(low)).isTrue();
    single.machine.reconfigure(settings.in(Dialect.V4_3).settings(), single.now);
    assertThat(single.machine.isActive(high)).isTrue();
  }

  @Test
  void fetchReturnsTheRemainingMessageCount() {
    queue.publishMany(3);

    GetResult acknowledged = queue.machine.fetch(true, queue.now);
    GetResult taken = queue.machine.fetch(false, queue.now);

    assertThat(acknowledged.remaining()).isEqualTo(2);
    assertThat(acknowledged.sequence()).isZero();
    assertThat(acknowledged.redelivered()).isFalse();
    assertThat(taken.remaining()).isOne();
    assertThat(taken.sequence()).isEqualTo(-1);
    assertThat(queue.settled).containsExactly(1L);
  }

  @Test
  void exclusiveConsumerExcludesOtherConsumers() {
    Consumer exclusive = queue.consumer(true, true, 0);
    assertThat(queue.machine.admits(true)).isTrue();
    queue.machine.subscribe(exclusive, queue.now);

    assertThat(queue.machine.admits(false)).isFalse();
    assertThat(queue.machine.admits(true)).isFalse();
    queue.machine.cancel(exclusive, queue.now);
    queue.subscribe(0);

    assertThat(queue.machine.admits(true)).isFalse();
    assertThat(queue.machine.admits(false)).isTrue();
  }

  @Test
  void publishersPauseWhileConnectionsOfConsumersAreFull() {
    Consumer consumer = queue.subscribe(0);
    ManualQueue.setRoom(consumer, 0);
    int megabyte = 1 << 20;
    publish(1, megabyte);
    assertThat(queue.machine.pauseMillis(0, queue.now)).as("1 MiB behind").isZero();
    publish(1, megabyte);
    assertThat(queue.machine.pauseMillis(0, queue.now)).as("2 MiB behind").isEqualTo(1);
    publish(30, megabyte);
    assertThat(queue.machine.pauseMillis(0, queue.now)).as("32 MiB behind").isEqualTo(9);
    publish(400, megabyte);
    assertThat(queue.machine.pauseMillis(0, queue.now)).as("the most").isEqualTo(50);

    ManualQueue.setRoom(consumer, 1000);
    queue.machine.resume(consumer, queue.now);
    assertThat(queue.machine.pauseMillis(0, queue.now)).as("nothing waits").isZero();
  }

  @Test
  void pauseCountsTheMemoryOverheadOfSmallMessages() {
    ManualQueue.setRoom(queue.subscribe(0), 0);
    publish(200_000, 16);
    assertThat(queue.machine.pauseMillis(0, queue.now)).isEqualTo(6);
  }

  @Test
  void publishersDoNotPauseForConsumersAtTheirPrefetchLimit() {
    queue.subscribe(1); // Has one message, and does not acknowledge.
    publish(40, 1 << 20);
    assertThat(queue.machine.pauseMillis(0, queue.now)).isZero();
  }

  @Test
  void publishersDoNotPauseWithoutConsumers() {
    publish(40, 1 << 20);
    assertThat(queue.machine.pauseMillis(0, queue.now)).isZero();
  }

  @Test
  void publishersOfAQuorumQueuePauseUntilFastConsumersAreThroughWhatIsReady() {
    ManualQueue quorum = new ManualQueue(QueueValues.NONE.of(QueueType.QUORUM).settings());
    Consumer consumer = quorum.subscribe(100);
    quorum.publishMany(100);
    quorum.now += 20;
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("nothing waits").isZero();
    quorum.machine.acknowledge(consumer, 0, 99, quorum.now);
    quorum.publishMany(200);
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("no more than a turn").isZero();

    quorum.publishMany(100);
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("two turns of 20 ms").isEqualTo(40);
    quorum.publishMany(100);
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("the most").isEqualTo(50);

    quorum.now += 101;
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("it has become slow").isZero();
    quorum.machine.acknowledge(consumer, 100, 199, quorum.now);
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("100 messages in 101 ms").isZero();
    quorum.now += 10;
    quorum.machine.acknowledge(consumer, 200, 299, quorum.now);
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("no more than a turn").isZero();
    quorum.publishMany(200);
    assertThat(quorum.machine.pauseMillis(0, quorum.now)).as("it is fast again").isEqualTo(30);
  }

  @Test
  void publishersOfAQuorumQueueWaitLongerForConsumersThatWaitForCommits() {
    ManualQueue quorum = new ManualQueue(QueueValues.NONE.of(QueueType.QUORUM).settings());
    quorum.subscribe(100);
    quorum.publishMany(300);
    quorum.now += 200;
    assertThat(quorum.machine.pauseMillis(39, quorum.now)).as("the client is slow").isZero();
    assertThat(quorum.machine.pauseMillis(40, quorum.now)).as("commits are slow").isEqualTo(400);
    quorum.publishMany(1_000);
    assertThat(quorum.machine.pauseMillis(40, quorum.now)).as("the most").isEqualTo(800);
    quorum.now += 200;
    assertThat(quorum.machine.pauseMillis(400, quorum.now)).as("ever").isEqualTo(1_000);
  }

  @Test
  void publishersOfAQuorumQueueDoNotPauseWithoutConsumersHoweverLongCommitsTake() {
    ManualQueue quorum = new ManualQueue(QueueValues.NONE.of(QueueType.QUORUM).settings());
    quorum.publishMany(1_000);
    quorum.now += 200;
    assertThat(quorum.machine.pauseMillis(200, quorum.now)).isZero();
  }

  private void publish(int count, int size) {
    for (int i = 0; i < count; i++) {
      queue.publish(size, Message.NO_TTL, false);
    }
  }
}
