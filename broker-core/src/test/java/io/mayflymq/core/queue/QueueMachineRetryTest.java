package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.store.RedeliveryNotes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Messages that come back wait before they are delivered again. */
class QueueMachineRetryTest {
  private static final QueueValues SETTINGS =
      QueueValues.NONE
          .with(PolicyKey.DELAYED_RETRY_TYPE, "failed")
          .with(PolicyKey.DELAYED_RETRY_MIN, 100)
          .with(PolicyKey.DELAYED_RETRY_MAX, 250)
          .with(PolicyKey.DELIVERY_LIMIT, 3);

  private final ManualQueue queue = new ManualQueue(SETTINGS.settings());

  private void failFirst() {
    queue.machine.fail(queue.getter, 0, 0, queue.now);
  }

  @Test
  void failedMessageWaitsLongerEachTimeAndIsFinallyDeadLettered() {
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
  void failedMessageFreesThePrefetchOfItsConsumerDuringTheRetryDelay() {
    Consumer consumer = queue.subscribe(1);
    queue.publishMany(2);

    queue.machine.fail(consumer, 0, 0, queue.now);
    assertThat(queue.delivered()).containsExactly(0, 1);
    queue.machine.acknowledge(consumer, 1, 1, queue.now);
    queue.advance(101);

    assertThat(queue.delivered()).containsExactly(0, 1, 0);
  }

  @Test
  void requeuedMessageHasNoRetryDelayUnderTheTypeFailed() {
    queue.publishMany(1);
    queue.fetch();
    queue.machine.requeue(queue.getter, 0, 0, queue.now);

    assertThat(queue.fetch()).isZero();
  }

  @Test
  void messageExpiresDuringItsRetryDelay() {
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
  void changedTtlAppliesToMessagesInTheirRetryDelay() {
    queue.publishMany(1);
    queue.fetch();
    failFirst();
    queue.machine.reconfigure(SETTINGS.with(PolicyKey.MESSAGE_TTL, 60).settings(), queue.now);
    queue.advance(30);
    queue.machine.reconfigure(SETTINGS.with(PolicyKey.MESSAGE_TTL, 400).settings(), queue.now);
    queue.advance(80);

    assertThat(queue.deaths).isEmpty();
    assertThat(queue.fetch()).isZero();
    failFirst();
    queue.machine.reconfigure(SETTINGS.with(PolicyKey.MESSAGE_TTL, 150).settings(), queue.now);
    queue.advance(41);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0);
  }

  @Test
  void purgeLeavesMessagesInTheirRetryDelay() {
    queue.publishMany(2);
    queue.fetch();
    failFirst();

    assertThat(queue.purge()).isOne();
    queue.advance(101);

    assertThat(queue.fetch()).isZero();
  }

  @Test
  void retryDelayContinuesAfterARestart() {
    queue.publishMany(3);
    queue.fetch();
    failFirst();

    ManualQueue after = queue.restarted(30, new Random(0));

    assertThat(after.machine.totals().delayed()).isOne();
    assertThat(after.machine.readyCount()).isEqualTo(2);
    after.advance(70);
    assertThat(after.machine.readyCount()).isEqualTo(2);
    after.advance(1);
    assertThat(after.fetch()).isZero();
    after.machine.fail(after.getter, 0, 0, after.now);
    after.advance(200);
    assertThat(after.machine.readyCount()).as("the second wait").isEqualTo(2);
    after.advance(1);
    assertThat(after.machine.readyCount()).isEqualTo(3);
  }

  @Test
  void restartCountsAsAReturnOfUnacknowledgedMessages() {
    queue.publishMany(2);
    queue.fetch();
    failFirst();

    ManualQueue once = queue.restarted(1000, new Random(0));
    assertThat(once.machine.readyCount()).isEqualTo(2);
    once.fetch();
    ManualQueue twice = once.restarted(1000, new Random(0));
    twice.fetch();
    ManualQueue thrice = twice.restarted(1000, new Random(0)).restarted(1, new Random(0));
    thrice.fetch();
    thrice.machine.fail(thrice.getter, 0, 0, thrice.now);

    assertThat(thrice.dead(DeathReason.DELIVERY_LIMIT)).containsExactly(0);
  }

  @Test
  void messageInItsRetryDelayExpiresOnTimeAfterARestart() {
    queue.publish(50);
    queue.fetch();
    failFirst();

    ManualQueue after = queue.restarted(30, new Random(0));
    after.advance(20);
    assertThat(after.deaths).isEmpty();
    after.advance(1);

    assertThat(after.dead(DeathReason.EXPIRED)).containsExactly(0);
    assertThat(after.machine.totals().messages()).isZero();
  }

  @Test
  void recoveredMessageIsReadyIfTheQueueNoLongerHasRetryDelays() {
    queue.publishMany(2);
    queue.fetch();
    failFirst();
    for (QueueSettings changed :
        List.of(
            QueueSettings.DEFAULT, QueueValues.NONE.with(PolicyKey.DELIVERY_LIMIT, 3).settings())) {
      ManualQueue after = queue.restarted(changed, 1, new Random(0));

      assertThat(after.machine.readyCount()).isEqualTo(2);
      assertThat(after.machine.totals().delayed()).isZero();
      assertThat(after.fetch()).isZero();
    }
  }

  @Test
  void storeCanListReturnCountsAndRetryTimes() {
    queue.publishMany(6);
    for (int i = 0; i < 4; i++) {
      queue.fetch();
    }
    queue.machine.fail(queue.getter, 1, 1, queue.now);
    queue.machine.requeue(queue.getter, 2, 3, queue.now);
    queue.fetch();
    queue.machine.acknowledge(queue.getter, 0, 0, queue.now);

    assertThat(notes(queue, 1000)).containsExactly("1 1 " + (queue.now + 101), "2 1 -1", "3 1 0");
    assertThat(notes(queue, 1)).hasSize(1);
    assertThat(notes(queue, 0)).isEmpty();
    assertThat(notes(queue.restarted(1, new Random(0)), 1000))
        .containsExactly("1 1 " + (queue.now + 101), "2 2 0", "3 1 0");
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void restartKeepsRetryDelaysAndReturnCounts(@ForAll long seed) {
    Random random = new Random(seed);
    ManualQueue before = new ManualQueue(SETTINGS.with(PolicyKey.DELIVERY_LIMIT, 6).settings());
    List<Integer> held = new ArrayList<>();
    for (int step = 0; step < 120; step++) {
      switch (random.nextInt(6)) {
        case 0 -> before.publish(10, Message.NO_TTL, random.nextInt(5) > 0);
        case 1, 2 -> {
          int got = before.fetch();
          if (got >= 0) {
            held.add(got);
          }
        }
        case 3, 4 -> {
          if (!held.isEmpty()) {
            int back = held.remove(random.nextInt(held.size()));
            if (random.nextBoolean()) {
              before.machine.fail(before.getter, back, back, before.now);
            } else {
              before.machine.requeue(before.getter, back, back, before.now);
            }
          }
        }
        default -> before.advance(random.nextInt(80));
      }
    }
    List<String> known = notes(before, 10_000);
    long later = random.nextInt(150);
    List<String> expected = new ArrayList<>();
    for (ManualQueue.Entry entry : before.kept().entries()) {
      long[] note =
          known.stream()
              .map(text -> Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray())
              .filter(numbers -> numbers[0] == entry.sequence())
              .findFirst()
              .orElse(new long[] {entry.sequence(), 0, 0});
      if (note[2] > before.now + later) {
        expected.add(note[0] + " " + note[1] + " " + note[2]);
      } else if (entry.sequence() <= before.store.deliveredUpTo) {
        boolean had = held.contains((int) entry.sequence());
        expected.add(note[0] + " " + (note[1] + (had ? 1 : 0)) + " 0");
      }
    }

    ManualQueue after = before.restarted(later, random);

    assertThat(notes(after, 10_000)).containsExactlyInAnyOrderElementsOf(expected);
    long waiting = expected.stream().filter(note -> !note.endsWith(" 0")).count();
    assertThat(after.machine.totals().delayed()).isEqualTo(waiting);
    assertThat(after.machine.totals().messages()).isEqualTo(before.kept().entries().size());
    after.advance(300);
    assertThat(after.machine.totals().delayed()).isZero();
    assertThat(after.machine.readyCount()).isEqualTo(before.kept().entries().size());
  }

  /** RabbitMQ 4.3.6 was seen to do the same. */
  @Test
  void waitingMessagesCountTowardsTheLimitButAreNotDropped() {
    ManualQueue limited =
        new ManualQueue(SETTINGS.of(QueueType.QUORUM).with(PolicyKey.MAX_LENGTH, 2).settings());
    waitAll(limited, 2);
    limited.publishMany(2);
    assertThat(limited.dead(DeathReason.MAXLEN)).containsExactly(2, 3);
    assertThat(limited.machine.totals().delayed()).isEqualTo(2);
    limited.advance(101);
    assertThat(limited.fetch()).isZero();
    assertThat(limited.fetch()).isOne();
  }

  @Test
  void waitingMessagesCountTowardsTheLimitInBytes() {
    ManualQueue limited =
        new ManualQueue(
            SETTINGS.of(QueueType.QUORUM).with(PolicyKey.MAX_LENGTH_BYTES, 10).settings());
    waitAll(limited, 1);
    limited.publishMany(1);
    assertThat(limited.dead(DeathReason.MAXLEN)).containsExactly(1);
    assertThat(limited.machine.totals().delayed()).isOne();
  }

  @Test
  void waitingMessagesHaveNewOnesRefused() {
    QueueSettings settings =
        SETTINGS
            .of(QueueType.QUORUM)
            .with(PolicyKey.MAX_LENGTH, 2)
            .with(PolicyKey.OVERFLOW, EnumNames.of(Overflow.REJECT_PUBLISH))
            .settings();
    ManualQueue limited = new ManualQueue(settings);
    waitAll(limited, 2);
    assertThat(limited.publish(Message.NO_TTL)).isFalse();
    assertThat(limited.machine.readyCount()).isZero();
  }

  @Test
  void changeOfTheLimitDropsReadyMessagesForWaitingOnes() {
    ManualQueue limited = new ManualQueue(SETTINGS.of(QueueType.QUORUM).settings());
    waitAll(limited, 2);
    limited.publishMany(3);
    QueueSettings changed = SETTINGS.of(QueueType.QUORUM).with(PolicyKey.MAX_LENGTH, 3).settings();
    assertThat(limited.machine.policyImpact(changed, limited.now).overflowing()).isEqualTo(2);
    limited.machine.reconfigure(changed, limited.now);
    assertThat(limited.dead(DeathReason.MAXLEN)).containsExactly(2, 3);
  }

  @Test
  void purgeRemovesAndCountsWaitingMessages() {
    ManualQueue purged = new ManualQueue(SETTINGS.of(QueueType.QUORUM).settings());
    waitAll(purged, 5);
    purged.publishMany(2);
    purged.fetch();
    Purge purge = purged.machine.purge(2);
    assertThat(purge.step(purged.now)).isTrue();
    purged.publishMany(1);
    while (purge.step(purged.now)) {
      purged.advance(0);
    }
    assertThat(purge.removed()).isEqualTo(6);
    assertThat(purged.machine.totals().delayed()).isZero();
    assertThat(purged.machine.totals().messages()).isEqualTo(2);
    assertThat(purged.settled).hasSize(6);
    purged.advance(300);
    assertThat(purged.fetch()).isEqualTo(7);
  }

  /** Publishes messages and has all of them wait. */
  private static void waitAll(ManualQueue queue, int count) {
    queue.publishMany(count);
    for (int i = 0; i < count; i++) {
      queue.fetch();
    }
    queue.machine.fail(queue.getter, 0, count - 1, queue.now);
    assertThat(queue.machine.totals().delayed()).isEqualTo(count);
  }

  @Test
  void waitingMessagesDoNotCountElsewhere() {
    ManualQueue limited = new ManualQueue(SETTINGS.with(PolicyKey.MAX_LENGTH, 2).settings());
    waitAll(limited, 2);
    limited.publishMany(2);
    assertThat(limited.dead(DeathReason.MAXLEN)).isEmpty();
    Purge purge = limited.machine.purge(10);
    while (purge.step(limited.now)) {
      limited.advance(0);
    }
    assertThat(purge.removed()).isEqualTo(2);
    assertThat(limited.machine.totals().delayed()).isEqualTo(2);
  }

  private static List<String> notes(ManualQueue queue, int mostBytes) {
    RedeliveryNotes notes = new RedeliveryNotes();
    queue.store.queue().noteReturns(notes, mostBytes);
    List<String> all = new ArrayList<>();
    RedeliveryNotes.forEach(
        notes.take(),
        (sequence, returns, until) ->
            all.add(sequence + " " + DeliveryCount.acquired(returns) + " " + until));
    return all;
  }

  @Test
  void queueDeletionDeadLettersMessagesInTheirRetryDelay() {
    queue.publish(Message.NO_TTL);
    queue.publish(Message.NO_TTL);
    queue.fetch();
    failFirst();

    boolean none = false;
    for (int slice = 0; slice < 3 && !none; slice++) {
      none = queue.machine.deadLetterAll(DropTrigger.DELETION, queue.now);
    }

    assertThat(none).isTrue();
    assertThat(queue.dead(DeathReason.QUEUE_DELETED)).containsExactly(0, 1);
    assertThat(queue.machine.totals().messages()).isZero();
  }
}
