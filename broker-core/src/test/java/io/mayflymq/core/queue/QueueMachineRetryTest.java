package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathCause;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.settings.Backoff;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.RetrySettings;
import io.mayflymq.core.settings.RetryType;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages that come back wait before they are delivered again. */
class QueueMachineRetryTest {
  private static final QueueSettings SETTINGS =
      QueueSettings.builder()
          .retry(new RetrySettings(RetryType.FAILED, 100, 250, Backoff.LINEAR, 0, List.of()))
          .deliveryLimit(3)
          .build();

  private final ManualQueue queue = new ManualQueue(SETTINGS);

  private void failFirst() {
    queue.machine.fail(queue.getter, 0, 0, queue.now);
  }

  @Test
  void aFailedMessageWaitsLongerEachTimeAndThenDies() {
    queue.publishMany(2);
    for (long wait : new long[] {100, 200, 250}) {
      assertThat(queue.fetch()).isZero();
      failFirst();
      assertThat(queue.machine.totals().delayed()).isOne();
      assertThat(queue.machine.totals().unacked()).isZero();
      assertThat(queue.machine.readyCount()).isOne();

      queue.advance(wait);
      assertThat(queue.machine.readyCount()).isOne();
      queue.advance(1);
      assertThat(queue.machine.readyCount()).isEqualTo(2);
    }
    assertThat(queue.fetch()).isZero();
    failFirst();

    assertThat(queue.dead(DeathReason.DELIVERY_LIMIT)).containsExactly(0);
    assertThat(queue.machine.totals().messages()).isOne();
  }

  @Test
  void othersGoOnMeanwhileAndTheConsumerHasItsCreditBack() {
    Consumer consumer = queue.subscribe(1);
    queue.publishMany(2);

    queue.machine.fail(consumer, 0, 0, queue.now);
    assertThat(queue.delivered()).containsExactly(0, 1);
    queue.machine.acknowledge(consumer, 1, 1, queue.now);
    queue.advance(101);

    assertThat(queue.delivered()).containsExactly(0, 1, 0);
  }

  @Test
  void whatIsMerelyReturnedDoesNotWaitHere() {
    queue.publishMany(1);
    queue.fetch();
    queue.machine.requeue(queue.getter, 0, 0, queue.now);

    assertThat(queue.fetch()).isZero();
  }

  @Test
  void aMessageExpiresWhileItWaits() {
    queue.publish(50);
    queue.fetch();
    failFirst();
    queue.advance(50);
    assertThat(queue.deaths).isEmpty();
    queue.advance(1);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0);
    assertThat(queue.machine.totals().messages()).isZero();
  }

  @Test
  void aShorterTtlCountsForThoseThatWaitAndALongerOneToo() {
    queue.publishMany(1);
    queue.fetch();
    failFirst();
    queue.machine.reconfigure(SETTINGS.toBuilder().messageTtlMillis(60).build(), queue.now);
    queue.advance(30);
    queue.machine.reconfigure(SETTINGS.toBuilder().messageTtlMillis(400).build(), queue.now);
    queue.advance(80);

    assertThat(queue.deaths).isEmpty();
    assertThat(queue.fetch()).isZero();
    failFirst();
    queue.machine.reconfigure(SETTINGS.toBuilder().messageTtlMillis(150).build(), queue.now);
    queue.advance(41);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0);
  }

  @Test
  void purgingLeavesThoseThatWait() {
    queue.publishMany(2);
    queue.fetch();
    failFirst();

    assertThat(queue.purge()).isOne();
    queue.advance(101);

    assertThat(queue.fetch()).isZero();
  }

  @Test
  void afterARestartTheyAreReadyAtOnce() {
    queue.publishMany(2);
    queue.fetch();
    failFirst();

    ManualQueue after = queue.restarted(1, new Random(0));

    assertThat(after.machine.readyCount()).isEqualTo(2);
    assertThat(after.fetch()).isZero();
  }

  @Test
  void theyDieWithTheirQueue() {
    queue.publish(Message.NO_TTL);
    queue.publish(Message.NO_TTL);
    queue.fetch();
    failFirst();

    boolean none = false;
    for (int slice = 0; slice < 3 && !none; slice++) {
      none = queue.machine.evacuate(DeathCause.DELETION, queue.now);
    }

    assertThat(none).isTrue();
    assertThat(queue.dead(DeathReason.QUEUE_DELETED)).containsExactly(0, 1);
    assertThat(queue.machine.totals().messages()).isZero();
  }
}
