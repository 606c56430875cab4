package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.SchedulePage;
import io.mayflymq.core.queue.SchedulePlace;
import io.mayflymq.core.queue.ScheduledMessage;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Messages that wait for their time in a broker with shards, logs and crashes. */
class QueueScheduleTest {
  private static final int HOUR = 3_600_000;

  private TestBroker broker = TestBroker.of(1);

  private void schedule(String queue, int number, long delay) {
    Queue target = broker.queue(queue);
    int shard = target.shard().index();
    long due = broker.loops.clock().millis() + delay;
    broker.on(
        shard,
        () ->
            broker.commands(shard).schedule(target, TestBroker.message(number), due, null, number));
    broker.trimMemory();
  }

  private List<Long> dueTimes(String queue) {
    CompletableFuture<SchedulePage> page =
        broker.queue(queue).requests().scheduled(SchedulePlace.START, 100);
    broker.trimMemory();
    return page.join().messages().stream().map(ScheduledMessage::dueMillis).toList();
  }

  @Test
  void queueWithoutScheduledMessagesHasNoSchedule() {
    broker.declare("q");
    broker.publish("q", 1);
    assertThat(dueTimes("q")).isEmpty();
    broker = broker.afterKill();
    assertThat(QueueSnapshot.of(broker.queue("q")).scheduled().messages()).isZero();
  }

  @Test
  void dueTimesAreKeptWhenTheNumberOfShardsChanges() {
    broker = TestBroker.of(3);
    long start = broker.loops.clock().millis();
    for (int shard = 0; shard < 3; shard++) {
      broker.declareOn(shard, "q" + shard);
      schedule("q" + shard, shard, HOUR + shard);
    }
    for (int shards : new int[] {1, 2, 3}) {
      broker = broker.afterKill(shards);
      assertThat(broker.recovered.messages()).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(dueTimes("q" + i)).containsExactly(start + HOUR + i);
      }
    }
    broker.advance(HOUR + 10);
    for (int i = 0; i < 3; i++) {
      assertThat(broker.drain("q" + i)).containsExactly(i);
    }
  }

  @Test
  void delayedDeadLetterIsInOnePlaceAfterAKillAtAnyTime() {
    ExchangeDefinition retry =
        new ExchangeDefinition(
            "retry",
            ExchangeType.X_DELAYED_MESSAGE,
            true,
            false,
            false,
            FieldTable.builder().put("x-delayed-type", "fanout").build());
    broker.vhost.declareExchange(retry, broker);
    broker.declare("work", FieldTable.builder().put("x-dead-letter-exchange", "retry").build());
    broker.declare("again");
    broker.vhost.bind(Binding.toQueue("retry", "again", ""), broker);
    broker.trimMemory();
    broker.publishing(broker.queue("work"), delayed(7, 5_000), (sequence, accepted) -> {});
    broker.trimMemory();
    GetResult getResult = broker.fetch("work");
    long died = broker.loops.clock().millis();
    broker.settling(
        Settlement.REJECT,
        broker.queue("work"),
        TestBroker.getter(),
        getResult.sequence(),
        getResult.sequence());
    broker.trimMemory();
    broker = broker.afterKill();
    assertThat(broker.ready("work")).isZero();
    assertThat(dueTimes("again")).containsExactly(died + 5_001);
    broker.advance(5_000);
    assertThat(broker.ready("again")).isZero();
    broker.advance(1);
    Message deadLetter = broker.fetch("again").message();
    assertThat(TestBroker.numberOf(deadLetter)).isEqualTo(7);
    assertThat(deadLetter.headers().get("x-delay").longValue()).isEqualTo(-5_000);
    broker = broker.afterKill();
    assertThat(broker.ready("again")).isEqualTo(1);
  }

  @Test
  void scheduledMessageRefusedByAFullQueueSurvivesACrash() {
    broker.declare("dead");
    broker.declare(
        "full",
        FieldTable.builder()
            .put("x-max-length", 1)
            .put("x-overflow", "reject-publish-dlx")
            .put("x-dead-letter-exchange", "")
            .put("x-dead-letter-routing-key", "dead")
            .build());
    schedule("full", 1, 10);
    schedule("full", 2, 10);
    broker.advance(20);
    broker = broker.afterKill();
    assertThat(broker.drain("full")).containsExactly(1);
    assertThat(broker.drain("dead")).containsExactly(2);
  }

  @Test
  void streamReceivesScheduledMessagesAfterARestart() {
    broker.declare("stream", FieldTable.builder().put("x-queue-type", "stream").build());
    schedule("stream", 1, 1_000);
    broker = broker.afterKill();
    assertThat(QueueSnapshot.of(broker.queue("stream")).scheduled().messages()).isEqualTo(1);
    broker.advance(1_010);
    assertThat(QueueSnapshot.of(broker.queue("stream")).scheduled().messages()).isZero();
    assertThat(broker.ready("stream")).isEqualTo(1);
    broker = broker.afterKill();
    assertThat(QueueSnapshot.of(broker.queue("stream")).scheduled().messages()).isZero();
    assertThat(broker.ready("stream")).isEqualTo(1);
  }

  private static Message delayed(int number, int millis) {
    byte[] properties =
        BasicProperties.builder()
            .deliveryMode(2)
            .headers(FieldTable.builder().put("x-delay", millis).build())
            .build()
            .encode();
    byte[] content = new byte[properties.length + Integer.BYTES];
    System.arraycopy(properties, 0, content, 0, properties.length);
    ByteBuffer.wrap(content).putInt(properties.length, number);
    return new Message(
        ShortString.of(""),
        ShortString.of("key"),
        content,
        properties.length,
        Message.NO_TTL,
        0,
        true,
        List.of());
  }
}
