package io.mayflymq.core.queue;

import static io.mayflymq.core.queue.ManualQueue.lasting;
import static io.mayflymq.core.queue.ManualQueue.limited;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.protocol.types.ShortString;
import org.junit.jupiter.api.Test;

/** All messages of a queue are read, and come into the queue of another broker as they were. */
class RestoredMessagesTest {
  private static Message message(int number) {
    return ManualQueue.message(
        ShortString.of(Integer.toString(number)), 1, Message.NO_TTL, true, 0);
  }

  @Test
  void readerShowsReadyAndUnacknowledgedMessages() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publishMany(4);
    queue.fetch();
    MessageReader reader = queue.machine.messageReader();
    assertThat(reader.count()).isEqualTo(4);
    assertThat(reader.end()).isEqualTo(4);
    assertThat(reader.next(-1)).isZero();
    assertThat(reader.next(0)).isEqualTo(1);
    assertThat(reader.next(3)).isEqualTo(-1);
    assertThat(ManualQueue.number(reader.message(2))).isEqualTo(2);
    assertThat(reader.enqueuedAt(2)).isEqualTo(queue.now);
    assertThat(reader.ownDeadline(2)).isEqualTo(Deadlines.NEVER);
  }

  @Test
  void timeOfARestoredMessageGoesOn() {
    ManualQueue queue = new ManualQueue(lasting(5_000, QueueSettings.NONE));
    queue.machine.restore(message(0), Deadlines.NEVER, queue.now - 4_000, 0);
    queue.machine.restore(message(1), queue.now + 500, queue.now - 3_000, 0);
    queue.machine.restore(message(2), Deadlines.NEVER, queue.now - 2_000, 0);
    queue.machine.restoreEnded(queue.now);
    queue.advance(499);
    assertThat(queue.dead(DeathReason.EXPIRED)).isEmpty();
    queue.advance(1);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    queue.advance(501);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1, 0);
    queue.advance(2_000);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1, 0, 2);
  }

  @Test
  void whatWasOverBeforeExpiresAtOnce() {
    ManualQueue queue = new ManualQueue(lasting(5_000, QueueSettings.NONE));
    queue.machine.restore(message(0), Deadlines.NEVER, queue.now - 9_000, 0);
    queue.machine.restore(message(1), Deadlines.NEVER, queue.now - 1_000, 0);
    queue.advance(0);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0);
    assertThat(queue.machine.readyCount()).isOne();
  }

  @Test
  void noLimitAppliesAndEachCountsAsDelivered() {
    ManualQueue queue = new ManualQueue(limited(2, QueueSettings.NONE, Overflow.REJECT_PUBLISH));
    for (int number = 0; number < 3; number++) {
      queue.machine.restore(message(number), Deadlines.NEVER, queue.now - 10, 0);
    }
    queue.machine.restoreEnded(queue.now);
    assertThat(queue.machine.readyCount()).isEqualTo(3);
    for (int number = 0; number < 3; number++) {
      GetResult got = queue.machine.fetch(false, queue.now);
      assertThat(ManualQueue.number(got.message())).isEqualTo(number);
      assertThat(got.redelivered()).isTrue();
    }
  }

  @Test
  void leaseBeginsAnew() {
    ManualQueue queue = new ManualQueue(lasting(QueueSettings.NONE, 10_000));
    queue.advance(9_000);
    queue.machine.restoreEnded(queue.now);
    assertThat(queue.machine.leaseEndMillis()).isEqualTo(Deadlines.after(queue.now, 10_000));
  }
}
