package io.mayflymq.core.queue;

import static io.mayflymq.core.queue.ManualQueue.lasting;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.index.Deadlines;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue lasts as long as it is used, and its period longer. */
class QueueMachineLeaseTest {
  private static final long PERIOD = 100;
  private static final QueueSettings LEASE_OF_PUBLISHING =
      QueueValues.NONE
          .with(PolicyKey.EXPIRES, PERIOD)
          .with(PolicyKey.EXPIRES_ACTIVITY, "publish")
          .settings();
  private ManualQueue queue;

  @BeforeEach
  void setUp() {
    queue = new ManualQueue(lasting(-1, PERIOD));
  }

  @Test
  void leaseOfAnUnusedQueueEndsAfterItsWholePeriod() {
    queue.advance(PERIOD);
    assertThat(queue.leaseEnded).isFalse();
    queue.advance(1);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void queueWithoutALeaseSetsNoTimer() {
    assertThat(new ManualQueue(QueueSettings.DEFAULT).timerAt).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void leaseEndsWithMessagesInTheQueueWithoutDeadLetteringThem() {
    queue.publish(Message.NO_TTL);

    queue.advance(PERIOD + 1);

    assertThat(queue.leaseEnded).isTrue();
    assertThat(queue.deaths).isEmpty();
  }

  @Test
  void publishingSettlingAndPurgingDoNotRenewTheLease() {
    queue.publishMany(2);
    assertThat(queue.fetch()).isZero();
    queue.advance(60);

    queue.machine.acknowledge(queue.getter, 0, 0, queue.now);
    queue.publish(Message.NO_TTL);
    queue.purge();

    queue.advance(40);
    assertThat(queue.leaseEnded).isFalse();
    queue.advance(1);
    assertThat(queue.leaseEnded).isTrue();
  }

  /** RabbitMQ 4.3.6 was seen to do the same. */
  @Test
  void unacknowledgedMessageKeepsAQuorumQueue() {
    ManualQueue quorum =
        new ManualQueue(
            QueueValues.NONE.with(PolicyKey.EXPIRES, PERIOD).of(QueueType.QUORUM).settings());
    quorum.publishMany(2);
    assertThat(quorum.fetch()).isZero();
    assertThat(quorum.fetch()).isOne();
    assertThat(quorum.machine.leaseEndMillis()).isEqualTo(Deadlines.NEVER);
    quorum.advance(3 * PERIOD + 50);
    quorum.machine.acknowledge(quorum.getter, 0, 0, quorum.now);
    quorum.advance(3 * PERIOD + 50);
    assertThat(quorum.leaseEnded).isFalse();

    quorum.machine.requeue(quorum.getter, 1, 1, quorum.now);
    quorum.advance(PERIOD);
    assertThat(quorum.leaseEnded).isFalse();
    quorum.advance(1);
    assertThat(quorum.leaseEnded).isTrue();
  }

  @Test
  void whatACancelledConsumerHasNotAcknowledgedKeepsAQuorumQueue() {
    ManualQueue quorum =
        new ManualQueue(
            QueueValues.NONE.with(PolicyKey.EXPIRES, PERIOD).of(QueueType.QUORUM).settings());
    Consumer consumer = quorum.subscribe(0);
    quorum.publishMany(1);
    quorum.machine.cancel(consumer, quorum.now);
    quorum.advance(3 * PERIOD);
    assertThat(quorum.leaseEnded).isFalse();
    quorum.machine.acknowledge(consumer, 0, 0, quorum.now);
    quorum.advance(PERIOD + 1);
    assertThat(quorum.leaseEnded).isTrue();
  }

  @Test
  void gettingFromAnEmptyQueueRenewsTheLease() {
    queue.advance(60);

    assertThat(queue.fetch()).isEqualTo(-1);

    queue.advance(PERIOD);
    assertThat(queue.leaseEnded).isFalse();
    queue.advance(1);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void redeclarationRenewsTheLease() {
    queue.advance(PERIOD);

    queue.machine.used(LeaseUse.DECLARE, queue.now);

    queue.advance(PERIOD);
    assertThat(queue.leaseEnded).isFalse();
    queue.advance(1);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void renewedLeaseMovesItsTimerOnlyWhenTheTimerFires() {
    for (int i = 0; i < 50; i++) {
      queue.advance(1);
      queue.machine.used(LeaseUse.DECLARE, queue.now);
    }

    queue.advance(PERIOD);

    assertThat(queue.timerCalls).isOne();
    assertThat(queue.leaseEnded).isFalse();
    assertThat(queue.timerAt).isEqualTo(queue.now + 1);
  }

  @Test
  void leaseDoesNotEndWhileTheQueueHasConsumers() {
    Consumer first = queue.subscribe(0);
    Consumer second = queue.subscribe(0);
    queue.advance(10 * PERIOD);

    assertThat(queue.machine.cancel(first, queue.now)).isFalse();
    queue.advance(10 * PERIOD);
    assertThat(queue.leaseEnded).isFalse();

    assertThat(queue.machine.cancel(second, queue.now)).isTrue();
    queue.advance(PERIOD);
    assertThat(queue.leaseEnded).isFalse();
    queue.advance(1);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void cancellingAConsumerTwiceDoesNotRenewTheLeaseAgain() {
    Consumer consumer = queue.subscribe(0);
    queue.machine.cancel(consumer, queue.now);
    queue.advance(60);

    queue.machine.cancel(consumer, queue.now);

    queue.advance(41);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void consumerThatSubscribesBeforeALateTimerKeepsTheQueue() {
    queue.now += 2 * PERIOD;
    queue.subscribe(0);

    queue.fire();

    assertThat(queue.leaseEnded).isFalse();
  }

  @Test
  void messagesExpireBothWhileTheLeaseRunsAndWhileConsumersHoldIt() {
    queue.publish(30);
    queue.advance(31);
    assertThat(queue.deaths).hasSize(1);

    Consumer consumer = queue.consumer(0);
    ManualQueue.setRoom(consumer, 0);
    queue.machine.subscribe(consumer, queue.now);
    queue.publish(3 * PERIOD);
    queue.advance(3 * PERIOD + 1);

    assertThat(queue.deaths).hasSize(2);
    assertThat(queue.leaseEnded).isFalse();
  }

  @Test
  void publishingRenewsTheLeaseIfConfigured() {
    queue = new ManualQueue(LEASE_OF_PUBLISHING);
    queue.advance(60);
    queue.publish(Message.NO_TTL);
    queue.advance(PERIOD);
    assertThat(queue.leaseEnded).isFalse();
    queue.advance(1);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void consumersDoNotKeepTheLeaseIfNotConfigured() {
    queue = new ManualQueue(LEASE_OF_PUBLISHING);
    queue.subscribe(0);
    queue.advance(PERIOD + 1);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void expiresOnlyIfEmptyExtendsTheLeaseOfANonEmptyQueue() {
    queue =
        new ManualQueue(
            QueueValues.NONE
                .with(PolicyKey.EXPIRES, PERIOD)
                .with(PolicyKey.EXPIRES_CONDITION, "unused-and-empty")
                .settings());
    queue.publishMany(2);
    queue.purge();
    queue.publishMany(1);
    long sequence = 2;
    queue.advance(PERIOD + 1);
    assertThat(queue.leaseEnded).as("a message is ready").isFalse();

    queue.fetch();
    queue.advance(3 * PERIOD);
    assertThat(queue.leaseEnded).as("a message is unacknowledged").isFalse();

    queue.machine.acknowledge(queue.getter, sequence, sequence, queue.now);
    queue.machine.holdsScheduled(true, queue.now);
    queue.advance(3 * PERIOD);
    assertThat(queue.leaseEnded).as("a message is scheduled").isFalse();

    queue.machine.holdsScheduled(false, queue.now);
    queue.advance(PERIOD + 1);
    assertThat(queue.leaseEnded).isTrue();
  }

  @Test
  void leaseEndDeadLettersReadyAndUnacknowledgedMessagesInOrderAndInSlices() {
    int count = 2 * ClassicQueueMachine.EXPIRY_SLICE;
    queue.publishMany(count);
    assertThat(queue.fetch()).isZero();

    assertThat(queue.machine.deadLetterAll(DropTrigger.EXPIRES, queue.now)).isFalse();
    assertThat(queue.deaths).hasSize(ClassicQueueMachine.EXPIRY_SLICE);
    assertThat(queue.machine.deadLetterAll(DropTrigger.EXPIRES, queue.now)).isFalse();
    assertThat(queue.machine.deadLetterAll(DropTrigger.EXPIRES, queue.now)).isTrue();

    assertThat(queue.dead(DeathReason.QUEUE_EXPIRED))
        .startsWith(1, 2, 3)
        .endsWith(count - 1, 0)
        .hasSize(count);
    assertThat(queue.machine.totals().messages()).isZero();
  }
}
