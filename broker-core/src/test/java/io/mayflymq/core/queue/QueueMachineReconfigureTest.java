package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.index.Deadlines;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A queue whose settings change while it has messages, as policies make them. */
class QueueMachineReconfigureTest {
  private static final long NONE = QueueSettings.NONE;

  @Test
  void newQueueTtlAppliesFromTheArrivalOfEachMessage() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(Message.NO_TTL);
    queue.advance(60);
    queue.publish(Message.NO_TTL);
    queue.publish(20);

    reconfigure(queue, ManualQueue.lasting(50, NONE));

    assertThat(queue.dead(DeathReason.EXPIRED)).as("too old already").containsExactly(0);
    queue.advance(21);
    assertThat(queue.dead(DeathReason.EXPIRED)).as("its own TTL").containsExactly(0, 2);
    queue.advance(29);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0, 2);
    queue.advance(1);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0, 2, 1);
  }

  @Test
  void removedQueueTtlNoLongerExpiresMessages() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(50, NONE));
    queue.publish(Message.NO_TTL);
    queue.publish(70);

    reconfigure(queue, QueueSettings.DEFAULT);

    queue.advance(1000);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    assertThat(queue.machine.readyCount()).isEqualTo(1);
  }

  @Test
  void queueTtlThatIsNotRetroactiveAppliesOnlyToNewMessages() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(100, NONE));
    queue.publish(Message.NO_TTL);
    queue.advance(30);

    reconfigure(
        queue,
        QueueValues.NONE
            .with(PolicyKey.MESSAGE_TTL, 10)
            .with(PolicyKey.MESSAGE_TTL_RETROACTIVE, false)
            .settings());
    queue.publish(Message.NO_TTL);

    queue.advance(11);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    queue.advance(60);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1, 0);
  }

  @Test
  void newLeaseRunsFromTheLastUse() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.advance(100);
    queue.fetch();
    queue.advance(40);

    reconfigure(queue, ManualQueue.lasting(NONE, 100));
    queue.advance(60);
    assertThat(queue.leaseEnded).isFalse();
    reconfigure(queue, ManualQueue.lasting(NONE, 200));
    queue.advance(100);
    assertThat(queue.leaseEnded).isFalse();
    reconfigure(queue, ManualQueue.lasting(NONE, 150));
    queue.advance(0);
    assertThat(queue.leaseEnded).as("its end has passed").isTrue();
  }

  @Test
  void removedLeaseDoesNotEndTheQueue() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(NONE, 50));

    reconfigure(queue, QueueSettings.DEFAULT);
    queue.advance(1000);

    assertThat(queue.leaseEnded).isFalse();
  }

  @Test
  void newLengthLimitAppliesWithItsOverflow() {
    ManualQueue dropping = new ManualQueue(QueueSettings.DEFAULT);
    dropping.publishMany(5);
    reconfigure(dropping, ManualQueue.limited(2, NONE, Overflow.DROP_HEAD));
    assertThat(dropping.dead(DeathReason.MAXLEN)).containsExactly(0, 1, 2);

    ManualQueue refusing = new ManualQueue(QueueSettings.DEFAULT);
    refusing.publishMany(5);
    reconfigure(refusing, ManualQueue.limited(2, NONE, Overflow.REJECT_PUBLISH));
    assertThat(refusing.deaths).as("a backlog is not dropped").isEmpty();
    assertThat(refusing.publish(Message.NO_TTL)).isFalse();
  }

  @Test
  void messagesAboveANewLimitAreDroppedInOrderAndInSlices() {
    int count = 4 * ClassicQueueMachine.EXPIRY_SLICE;
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publishMany(count);

    queue.machine.reconfigure(ManualQueue.limited(10, NONE, Overflow.DROP_HEAD), queue.now);
    assertThat(queue.deaths).hasSize(ClassicQueueMachine.EXPIRY_SLICE);
    assertThat(queue.timerAt).as("goes on at once").isLessThanOrEqualTo(queue.now);
    queue.fire();
    assertThat(queue.deaths).hasSize(2 * ClassicQueueMachine.EXPIRY_SLICE);
    queue.advance(0);

    List<Integer> oldest = IntStream.range(0, count - 10).boxed().toList();
    assertThat(queue.dead(DeathReason.MAXLEN)).isEqualTo(oldest);
    assertThat(queue.machine.readyCount()).isEqualTo(10);
    queue.publish(Message.NO_TTL);
    assertThat(queue.machine.readyCount()).as("the limit is exact again").isEqualTo(10);
  }

  @Test
  void forecastOfExpiryAtTheHeadFollowsTheDeliveryOrder() {
    QueueValues priorities = QueueValues.NONE.withMaxPriority(5);
    QueueValues byHead =
        priorities
            .with(PolicyKey.EXPIRY_MODE, EnumNames.of(ExpiryMode.HEAD))
            .with(PolicyKey.MESSAGE_TTL, 50);
    ManualQueue queue = new ManualQueue(priorities.settings());
    queue.publish(10, Message.NO_TTL, true, 0);
    queue.publish(10, Message.NO_TTL, true, 5);
    queue.advance(60);
    queue.publish(10, Message.NO_TTL, true, 3);

    assertThat(queue.machine.policyImpact(byHead.settings(), queue.now))
        .as("a young one of a higher priority is before the other old one")
        .isEqualTo(new PolicyImpact(1, 0, Deadlines.NEVER));
    QueueSettings shorter = byHead.with(PolicyKey.MAX_LENGTH, 1).settings();
    assertThat(queue.machine.policyImpact(shorter, queue.now))
        .as("until it has to go")
        .isEqualTo(new PolicyImpact(2, 1, Deadlines.NEVER));
    assertThat(queue.machine.readyCount()).isEqualTo(3);

    reconfigure(queue, shorter);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1, 0);
    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(2);
  }

  @Test
  void clockSetBackDoesNotDelayExpiry() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(100, NONE));
    queue.publish(Message.NO_TTL);
    queue.now -= 1000;
    queue.publish(Message.NO_TTL);

    queue.advance(100);
    assertThat(queue.deaths).isEmpty();
    queue.advance(1);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    queue.advance(1000);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1, 0);
  }

  // Work that fails

  private static final QueueValues SHORT = QueueValues.NONE.with(PolicyKey.MESSAGE_TTL, 5000);

  /** Two messages, of which 0 is too old for a TTL that is set, and cannot leave. */
  private static ManualQueue withOneThatCannotLeave(QueueSettings settings) {
    ManualQueue queue = new ManualQueue(settings);
    queue.publish(Message.NO_TTL);
    queue.advance(6000);
    queue.publish(Message.NO_TTL);
    return queue;
  }

  private static void reconfigureInVain(ManualQueue queue, QueueSettings settings) {
    queue.store.failsToSettle = true;
    assertThatThrownBy(() -> reconfigure(queue, settings)).hasMessage("settle 0");
    queue.store.failsToSettle = false;
    assertThat(queue.machine.settings()).isEqualTo(settings);
  }

  @Test
  void queueIsPausedThoughAMessageCannotExpire() {
    ManualQueue queue = withOneThatCannotLeave(QueueSettings.DEFAULT);

    reconfigureInVain(queue, SHORT.with(PolicyKey.PAUSE, "deliveries").settings());

    assertThat(queue.fetch()).isEqualTo(-1);
    queue.subscribe(0);
    queue.advance(2000);
    assertThat(queue.deliveries).isEmpty();
  }

  @Test
  void queueIsResumedThoughAMessageCannotExpire() {
    ManualQueue queue =
        withOneThatCannotLeave(QueueValues.NONE.with(PolicyKey.PAUSE, "deliveries").settings());
    queue.subscribe(0);

    reconfigureInVain(queue, SHORT.settings());

    queue.advance(2000);
    assertThat(queue.delivered()).containsExactly(1);
  }

  @Test
  void leaseAndBoundsAreInForceThoughAMessageCannotExpire() {
    ManualQueue queue = withOneThatCannotLeave(QueueSettings.DEFAULT);

    reconfigureInVain(
        queue,
        SHORT.with(PolicyKey.EXPIRES, 9000).with(PolicyKey.CONSUMER_PREFETCH_MAX, 1).settings());

    queue.publish(Message.NO_TTL);
    Consumer consumer = queue.subscribe(0);
    assertThat(queue.delivered()).containsExactly(1);
    queue.machine.cancel(consumer, queue.now);
    queue.machine.acknowledge(consumer, 1, 1, queue.now);
    queue.advance(9001);
    assertThat(queue.leaseEnded).isTrue();
  }

  private static void reconfigure(ManualQueue queue, QueueSettings settings) {
    queue.machine.reconfigure(settings, queue.now);
    queue.advance(0);
  }
}
