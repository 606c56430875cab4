package io.mayflymq.core.queue;

import static io.mayflymq.core.queue.ManualQueue.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.policy.TtlMode;
import io.mayflymq.core.queue.ManualQueue.Cause;
import io.mayflymq.core.queue.index.Deadlines;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What decides that a message dies, and when it was due. */
class QueueMachineCausesTest {
  @Test
  void triggerIsTheTtlWithTheEarlierDeadline() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(100, -1));
    queue.publish(50);
    queue.publish(200);
    queue.publish(Message.NO_TTL);
    queue.now += 300; // The timer fires late.
    queue.fire();
    assertThat(queue.causes)
        .containsExactly(
            new Cause(0, DropTrigger.EXPIRATION, START + 51),
            new Cause(1, DropTrigger.MESSAGE_TTL, START + 101),
            new Cause(2, DropTrigger.MESSAGE_TTL, START + 101));
  }

  @Test
  void deadlineByAFormerQueueTtlHasTheTriggerMessageTtl() {
    ManualQueue queue = new ManualQueue(notRetroactive(100));
    queue.publish(Message.NO_TTL);
    queue.publish(90);
    queue.machine.reconfigure(notRetroactive(-1), queue.now);
    queue.advance(200);
    assertThat(queue.causes)
        .containsExactly(
            new Cause(1, DropTrigger.EXPIRATION, START + 91),
            new Cause(0, DropTrigger.MESSAGE_TTL, START + 101));
  }

  private static QueueSettings notRetroactive(long ttl) {
    return QueueValues.NONE
        .with(PolicyKey.MESSAGE_TTL, ManualQueue.orUnset(ttl))
        .with(PolicyKey.MESSAGE_TTL_RETROACTIVE, false)
        .settings();
  }

  @Test
  void triggerFollowsTheTtlMode() {
    for (TtlMode mode : List.of(TtlMode.MESSAGE_FIRST, TtlMode.QUEUE_ONLY)) {
      ManualQueue queue =
          new ManualQueue(
              QueueValues.NONE
                  .with(PolicyKey.MESSAGE_TTL, 100)
                  .with(PolicyKey.MESSAGE_TTL_MODE, EnumNames.of(mode))
                  .settings());
      queue.publish(200);
      queue.publish(Message.NO_TTL);
      queue.advance(300);
      Cause byQueue = new Cause(1, DropTrigger.MESSAGE_TTL, START + 101);
      assertThat(queue.causes)
          .as("%s", mode)
          .containsExactlyInAnyOrder(
              mode == TtlMode.MESSAGE_FIRST
                  ? new Cause(0, DropTrigger.EXPIRATION, START + 201)
                  : new Cause(0, DropTrigger.MESSAGE_TTL, START + 101),
              byQueue);
    }
  }

  @Test
  void lengthLimitIncludesUnacknowledgedMessagesIfConfigured() {
    ManualQueue queue =
        new ManualQueue(
            QueueValues.NONE
                .with(PolicyKey.MAX_LENGTH, 2)
                .with(PolicyKey.MAX_LENGTH_SCOPE, "total")
                .settings());
    queue.publishMany(2);
    queue.fetch();
    queue.publishMany(1);
    assertThat(queue.causes).containsExactly(new Cause(1, DropTrigger.MAX_LENGTH, Deadlines.NEVER));
  }

  @Test
  void messageTtlOfZeroIsDueAtItsArrival() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(-1, -1));
    queue.publish(0);
    assertThat(queue.causes).containsExactly(new Cause(0, DropTrigger.EXPIRATION, START));
  }

  @Test
  void triggerIsTheLengthLimitThatIsExceeded() {
    ManualQueue queue = new ManualQueue(ManualQueue.limited(3, 25, Overflow.DROP_HEAD));
    queue.publish(1, Message.NO_TTL, true);
    queue.publish(1, Message.NO_TTL, true);
    queue.publish(1, Message.NO_TTL, true);
    queue.publish(1, Message.NO_TTL, true);
    queue.publish(24, Message.NO_TTL, true);
    assertThat(queue.causes)
        .containsExactly(
            new Cause(0, DropTrigger.MAX_LENGTH, Deadlines.NEVER),
            new Cause(1, DropTrigger.MAX_LENGTH, Deadlines.NEVER),
            new Cause(2, DropTrigger.MAX_LENGTH_BYTES, Deadlines.NEVER));
  }

  @Test
  void refusedMessageHasTheTriggerOfTheLimitItWouldExceed() {
    ManualQueue queue = new ManualQueue(ManualQueue.limited(2, 25, Overflow.REJECT_PUBLISH_DLX));
    queue.publish(20, Message.NO_TTL, true);
    assertThat(queue.publish(20, Message.NO_TTL, true)).isFalse();
    queue.publish(1, Message.NO_TTL, true);
    assertThat(queue.publish(1, Message.NO_TTL, true)).isFalse();
    assertThat(queue.causes)
        .containsExactly(
            new Cause(1, DropTrigger.MAX_LENGTH_BYTES, Deadlines.NEVER),
            new Cause(3, DropTrigger.MAX_LENGTH, Deadlines.NEVER));
  }

  @Test
  void rejectionAndDeliveryLimitHaveTheirOwnTriggers() {
    ManualQueue queue =
        new ManualQueue(
            QueueValues.NONE.of(QueueType.QUORUM).with(PolicyKey.DELIVERY_LIMIT, 0).settings());
    queue.publishMany(3);
    queue.fetch();
    queue.fetch();
    queue.fetch();
    queue.machine.reject(queue.getter, 0, 0, DropTrigger.CONSUMER, queue.now);
    queue.machine.fail(queue.getter, 1, 1, queue.now);
    queue.machine.reject(queue.getter, 2, 2, DropTrigger.CONSUMER_TIMEOUT, queue.now);
    assertThat(queue.causes)
        .containsExactly(
            new Cause(0, DropTrigger.CONSUMER, Deadlines.NEVER),
            new Cause(1, DropTrigger.DELIVERY_LIMIT, Deadlines.NEVER),
            new Cause(2, DropTrigger.CONSUMER_TIMEOUT, Deadlines.NEVER));
  }
}
