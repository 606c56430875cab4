package io.mayflymq.core.queue;

import static io.mayflymq.core.queue.ManualQueue.limited;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.policy.Overflow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a queue does at its length limit. */
class QueueMachineLimitTest {

  @Test
  void dropHeadDropsTheOldestMessages() {
    ManualQueue queue = new ManualQueue(limited(3, -1, Overflow.DROP_HEAD));

    queue.publishMany(5);

    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(0, 1);
    assertThat(queue.settled).containsExactly(0L, 1L);
    assertThat(queue.machine.readyCount()).isEqualTo(3);
  }

  @Test
  void dropHeadDropsEnoughMessagesForTheBytesOfTheNewOne() {
    ManualQueue queue = new ManualQueue(limited(-1, 30, Overflow.DROP_HEAD));
    queue.publishMany(3);
    assertThat(queue.deaths).as("the limit itself is allowed").isEmpty();

    queue.publish(15, -1, true);

    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(0, 1);
    assertThat(queue.machine.totals().readyBytes()).isEqualTo(25);
  }

  @Test
  void lengthLimitThatIsExceededFirstApplies() {
    ManualQueue queue = new ManualQueue(limited(2, 30, Overflow.DROP_HEAD));
    queue.publish(1, -1, true);
    queue.publish(1, -1, true);
    queue.publish(1, -1, true);
    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(0);

    queue.publish(30, -1, true);

    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(0, 1, 2);
  }

  @Test
  void dropHeadDropsTheNewMessageIfItAloneExceedsTheLimit() {
    ManualQueue none = new ManualQueue(limited(0, -1, Overflow.DROP_HEAD));
    assertThat(none.publish(-1)).isTrue();
    assertThat(none.dead(DeathReason.MAXLEN)).containsExactly(0);

    ManualQueue small = new ManualQueue(limited(-1, 20, Overflow.DROP_HEAD));
    small.publish(-1);
    assertThat(small.publish(21, -1, true)).isTrue();
    assertThat(small.dead(DeathReason.MAXLEN)).containsExactly(0, 1);
  }

  @Test
  void dropHeadDeliversToAWaitingConsumerBeforeDropping() {
    ManualQueue queue = new ManualQueue(limited(0, 0, Overflow.DROP_HEAD));
    queue.subscribe(1);

    queue.publishMany(2);

    assertThat(queue.delivered()).containsExactly(0);
    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(1);
  }

  @ParameterizedTest
  @EnumSource
  void lengthLimitExcludesUnacknowledgedMessages(Overflow overflow) {
    ManualQueue queue = new ManualQueue(limited(1, 10, overflow));
    assertThat(queue.publish(-1)).isTrue();
    assertThat(queue.fetch()).isZero();

    assertThat(queue.publish(-1)).isTrue();

    assertThat(queue.deaths).isEmpty();
  }

  @Test
  void dropHeadDropsRequeuedMessagesAboveTheLimit() {
    ManualQueue queue = new ManualQueue(limited(2, -1, Overflow.DROP_HEAD));
    queue.publishMany(2);
    queue.fetch();
    queue.fetch();
    queue.publishMany(1);

    queue.machine.requeue(queue.getter, 0, 1, queue.now);

    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(0);
    assertThat(queue.machine.readyCount()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(names = {"REJECT_PUBLISH", "REJECT_PUBLISH_DLX"})
  void requeuedMessagesMayExceedTheLimitUnderRejectPublish(Overflow overflow) {
    ManualQueue queue = new ManualQueue(limited(2, -1, overflow));
    queue.publishMany(2);
    queue.fetch();
    queue.fetch();
    queue.publishMany(2);

    queue.machine.requeue(queue.getter, 0, 1, queue.now);

    assertThat(queue.deaths).isEmpty();
    assertThat(queue.machine.readyCount()).isEqualTo(4);
    assertThat(queue.publish(-1)).isFalse();
  }

  @Test
  void rejectPublishRefusesMessagesAboveTheLimit() {
    ManualQueue queue = new ManualQueue(limited(2, 25, Overflow.REJECT_PUBLISH));

    assertThat(queue.publish(10, -1, true)).isTrue();
    assertThat(queue.publish(16, -1, true)).isFalse();
    assertThat(queue.publish(15, -1, true)).isTrue();
    assertThat(queue.publish(0, -1, true)).isFalse();

    assertThat(queue.deaths).isEmpty();
    assertThat(queue.stored).hasSize(2);
  }

  @Test
  void rejectPublishDlxDeadLettersTheRefusedMessage() {
    ManualQueue queue = new ManualQueue(limited(1, -1, Overflow.REJECT_PUBLISH_DLX));
    queue.publish(-1);

    assertThat(queue.publish(-1)).isFalse();

    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(1);
    assertThat(queue.stored).hasSize(1);
    assertThat(queue.settled).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"REJECT_PUBLISH", "REJECT_PUBLISH_DLX"})
  void rejectPublishWithALimitOfZeroRefusesDespiteAWaitingConsumer(Overflow overflow) {
    ManualQueue queue = new ManualQueue(limited(0, -1, overflow));
    queue.subscribe(0);

    assertThat(queue.publish(-1)).isFalse();

    assertThat(queue.deliveries).isEmpty();
  }

  @Test
  void rejectPublishAcceptsMessagesForAWaitingConsumer() {
    ManualQueue queue = new ManualQueue(limited(1, -1, Overflow.REJECT_PUBLISH));
    queue.subscribe(2);

    assertThat(queue.publish(-1)).isTrue();
    assertThat(queue.publish(-1)).isTrue();
    assertThat(queue.publish(-1)).isTrue();
    assertThat(queue.publish(-1)).isFalse();

    assertThat(queue.delivered()).containsExactly(0, 1);
  }

  @Test
  void expiredMessagesAreRemovedBeforeDropHeadDropsAny() {
    ManualQueue queue = new ManualQueue(limited(2, -1, Overflow.DROP_HEAD));
    queue.publish(-1);
    queue.publish(10);
    queue.now += 11;

    queue.publish(-1);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    assertThat(queue.dead(DeathReason.MAXLEN)).isEmpty();
  }

  @Test
  void expiredMessagesAreRemovedBeforeRejectPublishRefuses() {
    ManualQueue queue = new ManualQueue(limited(2, -1, Overflow.REJECT_PUBLISH));
    queue.publish(-1);
    queue.publish(10);
    queue.now += 11;

    assertThat(queue.publish(-1)).isTrue();

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
  }

  @Test
  void messageExpiredOnArrivalDropsNoOtherMessage() {
    ManualQueue queue = new ManualQueue(limited(1, -1, Overflow.DROP_HEAD));
    queue.publish(-1);

    queue.publish(0);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    assertThat(queue.dead(DeathReason.MAXLEN)).isEmpty();
  }
}
