package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.QueueSettings;
import org.junit.jupiter.api.Test;

/** What happens to a queue while it is purged. */
class PurgeTest {
  private final ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);

  @Test
  void messagesPublishedDuringAPurgeStay() {
    queue.publishMany(10);
    Purge purge = queue.machine.purge(4);
    assertThat(purge.step(queue.now)).isTrue();
    assertThat(queue.machine.readyCount()).isEqualTo(6);
    queue.publishMany(2);
    while (purge.step(queue.now)) {}

    assertThat(purge.removed()).isEqualTo(10);
    assertThat(queue.machine.readyCount()).isEqualTo(2);
    assertThat(queue.settled).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    assertThat(queue.machine.counters().get(Counter.PURGED)).isEqualTo(10);
  }

  @Test
  void messagesDeliveredDuringAPurgeAreNotPurged() {
    queue.publishMany(10);
    Purge purge = queue.machine.purge(4);
    purge.step(queue.now);
    GetResult taken = queue.machine.fetch(true, queue.now);
    while (purge.step(queue.now)) {}

    assertThat(purge.removed()).isEqualTo(9);
    assertThat(queue.machine.totals().unacked()).isOne();
    queue.machine.requeue(queue.getter, taken.sequence(), taken.sequence(), queue.now);
    assertThat(queue.machine.readyCount()).isOne();
  }

  @Test
  void expiredMessagesExpireInsteadOfBeingPurged() {
    for (int i = 0; i < 10; i++) {
      queue.publish(i < 6 ? 5 : Message.NO_TTL);
    }
    queue.now += 10;
    Purge purge = queue.machine.purge(4);
    assertThat(purge.step(queue.now)).isTrue();
    assertThat(queue.dead(DeathReason.EXPIRED)).hasSize(4);
    while (purge.step(queue.now)) {}

    assertThat(queue.dead(DeathReason.EXPIRED)).hasSize(6);
    assertThat(purge.removed()).isEqualTo(4);
  }

  @Test
  void messagesOfADeletedQueueGoSomeAtATime() {
    int slices = 3;
    queue.publishMany(1);
    for (int i = 1; i < slices * Purge.SLICE; i++) {
      queue.publish(10, Message.NO_TTL, false);
    }
    queue.machine.fetch(true, queue.now);
    for (int i = slices - 1; i >= 0; i--) {
      assertThat(queue.machine.disposeSome()).isTrue();
      assertThat(queue.machine.totals().messages()).isEqualTo(i * Purge.SLICE + 1);
    }
    assertThat(queue.machine.disposeSome()).isFalse();
    assertThat(queue.settled).as("the log forgets the queue").isEmpty();
    queue.machine.dispose();
    assertThat(queue.store.forgotten).isTrue();
    assertThat(queue.machine.totals().messages()).isZero();
  }
}
