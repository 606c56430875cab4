package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.QueueLog.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** A queue that the log gives its messages back, one by one. */
class QueueMachineRecoveryTest {
  private static final QueueSettings DLX =
      QueueValues.NONE.with(PolicyKey.DEAD_LETTER_EXCHANGE, "dlx").settings();

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void recoveredQueueIsTheSameInWhateverOrderMessagesAreRestored(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3000) int count) {
    Random random = new Random(seed);
    ManualQueue before = new ManualQueue(DLX);
    List<Integer> alive = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long ttl = random.nextInt(4) == 0 ? 1 + random.nextInt(100) : Message.NO_TTL;
      before.publish(10, ttl, random.nextInt(5) > 0);
      before.now += random.nextInt(2);
    }
    int taken = random.nextInt(count + 1);
    for (int i = 0; i < taken; i++) {
      before.fetch();
    }
    ManualQueue after = before.restarted(random.nextInt(60), random);
    ManualQueue.Kept kept = before.kept();

    after.advance(0);
    for (ManualQueue.Entry entry : kept.entries()) {
      if (entry.deadline() > after.now) {
        alive.add(entry.number());
      }
    }
    assertThat(after.dead(DeathReason.EXPIRED)).hasSize(kept.entries().size() - alive.size());
    after.subscribe(0);
    assertThat(after.delivered()).isEqualTo(alive);
    for (Delivery delivery : after.deliveries) {
      assertThat(delivery.redelivered())
          .isEqualTo(kept.sequenceOf(delivery.message()) <= before.store.deliveredUpTo);
    }
  }

  @Test
  void sequenceNumbersContinueAfterDeliveredMessages() {
    ManualQueue before = new ManualQueue(QueueSettings.DEFAULT);
    before.publishMany(3);
    Consumer consumer = before.subscribe(0);
    before.machine.acknowledge(consumer, 0, 2, before.now);

    ManualQueue after = before.restarted(0, new Random(1));
    after.publish(-1);

    assertThat(after.stored).containsExactly(3L);
    after.fetch();
    assertThat(after.store.deliveredUpTo).isEqualTo(3);
  }

  @Test
  void currentQueueTtlAppliesToRecoveredMessages() {
    ManualQueue before = new ManualQueue(ManualQueue.lasting(1000, -1));
    before.publish(Message.NO_TTL);
    before.publish(20);

    ManualQueue longer = before.restarted(ManualQueue.lasting(5000, -1), 1500, new Random(1));
    longer.advance(0);

    assertThat(longer.dead(DeathReason.EXPIRED)).containsExactly(1);
    longer.advance(3500);
    assertThat(longer.dead(DeathReason.EXPIRED)).as("a ms to live").containsExactly(1);
    longer.advance(1);
    assertThat(longer.dead(DeathReason.EXPIRED)).containsExactly(1, 0);
  }

  @Test
  void currentLengthLimitAppliesToRecoveredMessages() {
    ManualQueue before = new ManualQueue(QueueSettings.DEFAULT);
    before.publishMany(5);

    ManualQueue after =
        before.restarted(ManualQueue.limited(2, -1, Overflow.DROP_HEAD), 0, new Random(1));

    assertThat(after.dead(DeathReason.MAXLEN)).containsExactly(0, 1, 2);
    assertThat(after.machine.readyCount()).isEqualTo(2);
  }

  @Test
  void recoveryRenewsTheLease() {
    ManualQueue before = new ManualQueue(ManualQueue.lasting(-1, 100));
    before.advance(90);

    ManualQueue after = before.restarted(1_000_000, new Random(1));
    after.advance(100);
    assertThat(after.leaseEnded).isFalse();
    after.advance(1);
    assertThat(after.leaseEnded).isTrue();
  }
}
