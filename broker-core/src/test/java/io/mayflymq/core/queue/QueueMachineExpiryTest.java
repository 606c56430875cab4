package io.mayflymq.core.queue;

import static io.mayflymq.core.queue.ManualQueue.lasting;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.QueueLog.Dead;
import io.mayflymq.core.queue.QueueLog.Delivery;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages leave at their own deadline, wherever they stand. */
class QueueMachineExpiryTest {
  private static final int MANY = 100_000;

  @Test
  void messagesBehindALongTtlExpireAtTheirOwnDeadlines() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    Random random = new Random(1);
    queue.publish(60_000);
    List<Dead> expected = new ArrayList<>();
    for (int i = 1; i <= MANY; i++) {
      int ttl = 1 + random.nextInt(5_000);
      queue.publish(1, ttl, false);
      expected.add(new Dead(i, DeathReason.EXPIRED, queue.now + ttl + 1));
    }

    queue.advance(5_001);

    expected.sort(Comparator.comparing(Dead::atMillis).thenComparing(Dead::message));
    assertThat(queue.deaths).isEqualTo(expected);
    assertThat(queue.timerCalls).as("one call for each millisecond").isLessThanOrEqualTo(5_000);
    assertThat(queue.machine.readyCount()).isOne();
    queue.advance(60_001 - 5_001 - 1);
    assertThat(queue.machine.readyCount()).isOne();
    queue.advance(1);
    assertThat(queue.machine.readyCount()).isZero();
  }

  @Test
  void manyExpiredMessagesAreRemovedInSlices() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(60_000);
    for (int i = 0; i < MANY; i++) {
      queue.publish(1, 500, false);
    }
    queue.now += 501;

    int left = MANY;
    while (left > 0) {
      assertThat(queue.timerAt).as("to be called again").isLessThanOrEqualTo(queue.now);
      queue.fire();
      left -= Math.min(left, ClassicQueueMachine.EXPIRY_SLICE);
      assertThat(queue.deaths).hasSize(MANY - left);
      assertThat(queue.machine.readyCount()).isEqualTo(left + 1);
    }

    assertThat(queue.timerAt).isEqualTo(ManualQueue.START + 60_001);
    assertThat(queue.dead(DeathReason.EXPIRED))
        .isEqualTo(IntStream.rangeClosed(1, MANY).boxed().toList());
  }

  @Test
  void expiredMessagesAreNotDeliveredBetweenTwoSlices() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(60_000);
    for (int i = 0; i < 2 * ClassicQueueMachine.EXPIRY_SLICE; i++) {
      queue.publish(1, 500, false);
    }
    queue.publishMany(1);
    queue.now += 501;
    queue.fire();

    queue.subscribe(0);

    assertThat(queue.delivered()).containsExactly(0, 2 * ClassicQueueMachine.EXPIRY_SLICE + 1);
    assertThat(queue.deaths).hasSize(2 * ClassicQueueMachine.EXPIRY_SLICE);
  }

  @Test
  void consumersThatAskForItAreToldTheTimeThatIsLeft() {
    for (boolean acknowledges : new boolean[] {true, false}) {
      ManualQueue queue = new ManualQueue(lasting(5_000, QueueSettings.NONE));
      List<String> told = new ArrayList<>();
      queue.publish(3_000);
      queue.publish(9_000);
      queue.now += 1_000;
      FieldTable arguments = FieldTable.builder().put(Consumer.TIME_LEFT, true).build();
      Consumer consumer =
          new Consumer(
              ShortString.of("left"),
              new ConsumeOptions(acknowledges, false, 0, arguments),
              new Told(told));
      queue.machine.subscribe(consumer, queue.now);
      queue.publish(700);
      queue.publish(9_000);

      assertThat(told).containsExactly("2000", "4000", "700", "5000");
    }
  }

  private record Told(List<String> expirations) implements ConsumerTarget {
    @Override
    public boolean reserve(Consumer consumer) {
      return true;
    }

    @Override
    public void deliver(Consumer consumer, long sequence, Message message, boolean redelivered) {
      expirations.add(message.properties().expiration());
    }

    @Override
    public void cancelled(Consumer consumer) {}
  }

  @Test
  void messageExpiresOnlyAfterItsWholeTtl() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(10);

    queue.advance(10);
    assertThat(queue.deaths).isEmpty();
    queue.advance(1);

    assertThat(queue.deaths)
        .containsExactly(new Dead(0, DeathReason.EXPIRED, ManualQueue.START + 11));
    assertThat(queue.settled).isEqualTo(queue.stored);
  }

  @Test
  void shorterOfQueueTtlAndMessageTtlApplies() {
    ManualQueue queue = new ManualQueue(lasting(20, -1));
    queue.publish(30);
    queue.publish(10);
    queue.publish(Message.NO_TTL);

    queue.advance(11);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    queue.advance(9);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
    queue.advance(1);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1, 0, 2);
  }

  @Test
  void messageTtlOfZeroIsDeliveredToAWaitingConsumer() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    Consumer consumer = queue.subscribe(1);

    assertThat(queue.publish(0)).isTrue();
    assertThat(queue.delivered()).containsExactly(0);

    assertThat(queue.publish(0)).as("confirmed all the same").isTrue();
    assertThat(queue.delivered()).containsExactly(0);
    assertThat(queue.dead(DeathReason.EXPIRED)).as("the prefetch is used up").containsExactly(1);
    assertThat(queue.stored).as("until its dead letter is safe").containsExactly(0L, 1L);

    queue.machine.requeue(consumer, 0, 0, queue.now);
    assertThat(queue.dead(DeathReason.EXPIRED)).as("no second chance").containsExactly(1, 0);
    assertThat(queue.settled).containsExactly(1L, 0L);
  }

  @Test
  void messageTtlOfZeroExpiresBehindAReadyMessage() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(Message.NO_TTL);

    assertThat(queue.publish(0)).isTrue();

    assertThat(queue.dead(DeathReason.EXPIRED)).as("behind a head that lives").containsExactly(1);
    assertThat(queue.machine.readyCount()).isOne();
  }

  @Test
  void queueTtlOfZeroAppliesToAllMessages() {
    ManualQueue queue = new ManualQueue(lasting(0, -1));
    queue.publish(Message.NO_TTL);
    queue.publish(1000);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0, 1);
    queue.subscribe(0);
    queue.publish(Message.NO_TTL);
    assertThat(queue.delivered()).containsExactly(2);
  }

  @Test
  void unacknowledgedMessagesExpireOnlyWhenRequeued() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(10);
    queue.publish(20);
    assertThat(queue.fetch()).isZero();
    assertThat(queue.fetch()).isOne();

    queue.advance(15);
    assertThat(queue.deaths).isEmpty();
    queue.machine.requeue(queue.getter, 0, 1, queue.now);

    assertThat(queue.deaths).containsExactly(new Dead(0, DeathReason.EXPIRED, queue.now));
    queue.advance(5);
    assertThat(queue.machine.readyCount()).as("it keeps its deadline").isOne();
    queue.advance(1);
    assertThat(queue.machine.readyCount()).isZero();
  }

  @Test
  void expiredMessagesAreNotDeliveredIfTheTimerIsLate() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(10);
    queue.publish(Message.NO_TTL);
    queue.publish(10);
    queue.now += 11;

    GetResult getResult = queue.machine.fetch(true, queue.now);

    assertThat(ManualQueue.number(getResult.message())).isOne();
    assertThat(queue.machine.fetch(true, queue.now)).isNull();
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0, 2);
  }

  @Test
  void resumedConsumerGetsNoMessagesThatExpiredMeanwhile() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    Consumer consumer = queue.consumer(0);
    ManualQueue.setRoom(consumer, 0);
    queue.machine.subscribe(consumer, queue.now);
    queue.publish(10);
    queue.publish(20);
    queue.now += 11;

    ManualQueue.setRoom(consumer, 5);
    queue.machine.resume(consumer, queue.now);

    assertThat(queue.deliveries).containsExactly(new Delivery(1, 1, true, false));
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0);
  }

  @Test
  void purgeCountsOnlyUnexpiredMessagesAndLeavesNoTimer() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(10);
    queue.publish(20);
    queue.publish(15);
    queue.now += 11;

    assertThat(queue.purge()).isEqualTo(2);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(0);
    queue.advance(100);
    assertThat(queue.deaths).hasSize(1);
    assertThat(queue.settled).containsExactlyInAnyOrderElementsOf(queue.stored);
    assertThat(queue.timerAt).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void timerOfAConsumedMessageIsSetToTheNextDeadline() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    queue.publish(10);
    queue.publish(20);
    queue.machine.fetch(false, queue.now);

    queue.advance(20);
    assertThat(queue.deaths).isEmpty();
    queue.advance(1);

    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactly(1);
  }
}
