package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.vhost.TestBroker.Collector;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When batches come back to a connection, which reads as long as little is under way. */
class ShardCommandSenderTest {
  private final TestBroker broker = TestBroker.of(2);
  private final ShardCommandSender commands = broker.commands(0);

  private void publish(Queue queue, int count, int padding) {
    broker.on(
        0,
        () -> {
          for (int i = 0; i < count; i++) {
            commands.publish(queue, TestBroker.message(i, false, Message.NO_TTL, padding), null, 0);
          }
        });
    broker.runLoops();
  }

  /** What is under way takes memory, and the thread of the shard, however little is in it. */
  @Test
  void messagesWithoutContentCountWhileTheyAreUnderWay() {
    Queue queue = broker.declareOn(1, "q");
    broker.on(
        0,
        () -> {
          for (int i = 0; i < 100; i++) {
            commands.publish(queue, TestBroker.message(i, false, Message.NO_TTL, 0), null, 0);
          }
        });
    assertThat(commands.bytesUnderWay()).isGreaterThan(100 * 512);
    broker.runLoops();
    assertThat(commands.bytesUnderWay()).isZero();
  }

  /** A disk works better with much at once, consumers do not. */
  @Test
  void moreMayBeUnderWayOfWhatAPublisherWaitsToHear() {
    Queue queue = broker.declareOn(1, "q");
    fill(queue, null, 1_000);
    assertThat(commands.isFull()).isFalse();
    fill(queue, null, 1_100);
    assertThat(commands.isFull()).as("more than 1 MiB").isTrue();
    assertThat(commands.hasRoom()).isFalse();
    broker.runLoops();
    assertThat(commands.isFull()).isFalse();
    assertThat(commands.hasRoom()).isTrue();

    PublishListener listener = (sequence, outcome) -> {};
    fill(queue, listener, 8_000);
    assertThat(commands.isFull()).isFalse();
    assertThat(commands.hasRoom()).isFalse();
    fill(queue, listener, 200);
    assertThat(commands.isFull()).as("more than 4 MiB").isTrue();
    broker.runLoops();
    assertThat(commands.hasRoom()).isTrue();
  }

  /** Each message counts 512 bytes. */
  private void fill(Queue queue, PublishListener listener, int count) {
    broker.on(
        0,
        () -> {
          for (int i = 0; i < count; i++) {
            commands.publish(queue, TestBroker.message(i, false, Message.NO_TTL, 0), listener, i);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void manyMessagesForFullConsumersAreConfirmedAfterAPause(int shard) {
    Queue queue = broker.declareOn(shard, "q");
    Collector collector = broker.consume("q", false, 0);
    collector.full = true;
    publish(queue, 30, 1 << 20);
    assertThat(commands.isSettled()).as("30 MiB wait").isFalse();

    broker.loops.advance(7);
    assertThat(commands.isSettled()).as("before 8 ms").isFalse();
    broker.loops.advance(1);
    broker.runLoops();
    assertThat(commands.isSettled()).as("after them").isTrue();
    assertThat(commands.bytesUnderWay()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void fewMessagesAreConfirmedImmediately(int shard) {
    Queue queue = broker.declareOn(shard, "q");
    Collector collector = broker.consume("q", false, 0);
    collector.full = true;
    publish(queue, 30, 1 << 20);
    broker.advance(50);

    publish(queue, 1, 1000);
    assertThat(commands.isSettled()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void manyMessagesWithoutConsumersAreConfirmedImmediately(int shard) {
    publish(broker.declareOn(shard, "q"), 30, 1 << 20);
    assertThat(commands.isSettled()).isTrue();
  }
}
