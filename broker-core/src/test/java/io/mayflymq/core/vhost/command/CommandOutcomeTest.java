package io.mayflymq.core.vhost.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.vhost.PublishOutcomes;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told on a link of the commands of a batch: three lists, the last one only if needed. */
class CommandOutcomeTest {
  private static final int UNKNOWN = 0;

  private final TestBroker broker = TestBroker.of(1);
  private final List<Queue> queues = new ArrayList<>();
  private final CommandBatch batch = new CommandBatch();
  private final PublishOutcomes outcomes = new PublishOutcomes();
  private final OutgoingCommands outgoing =
      new OutgoingCommands(
          batch,
          new Commit() {
            @Override
            public void safe() {
              outcomes.told.add("safe");
            }

            @Override
            public void failed() {
              outcomes.told.add("failed");
            }
          });

  CommandOutcomeTest() {
    queues.add(broker.declare("unknown"));
    queues.add(broker.declare("taking"));
    queues.add(
        broker.declare(
            "full",
            FieldTable.builder()
                .put("x-max-length", 0)
                .put("x-overflow", "reject-publish")
                .build()));
    queues.add(broker.declare("gone"));
    broker.vhost.deleteQueue("gone", broker, false, false);
    broker.trimMemory();
  }

  /** Names queues by their places in the list. */
  private final class Outgoing implements RemoteCommands.Names<Queue> {
    private final MessageCodec codec = new MessageCodec();

    @Override
    public long queue(Queue queue) {
      return queues.indexOf(queue);
    }

    @Override
    public long consumer(Consumer consumer, long settled) {
      throw new AssertionError("no deliveries");
    }

    @Override
    public long sequence(Consumer consumer, long sequence) {
      throw new AssertionError("no deliveries");
    }

    @Override
    public MessageCodec messages() {
      codec.begin();
      return codec;
    }

    @Override
    public long now() {
      return broker.loops.clock().millis();
    }
  }

  private final class Incoming implements IncomingCommands.Names {
    @Override
    public Queue queue(long number) {
      return number == UNKNOWN ? null : queues.get((int) number);
    }

    @Override
    public Consumer settled(Queue queue, long consumer, long from, long to) {
      throw new AssertionError("no deliveries");
    }

    @Override
    public void unsettled(Queue queue, Consumer consumer, long from, long to) {
      throw new AssertionError("no deliveries");
    }
  }

  private void publish(int queue, int number) {
    batch.publish(queues.get(queue), TestBroker.message(number), outcomes, number);
  }

  /** Returns what the other node tells of the batch. */
  private byte[] outcome() {
    ByteWriter sent = new ByteWriter();
    outgoing.encode(sent, new Outgoing());
    List<byte[]> results = new ArrayList<>();
    IncomingCommands incoming = new IncomingCommands(broker.shards.get(0));
    broker.on(
        0,
        () ->
            incoming.apply(
                new ByteReader(sent.bytes(), sent.size()),
                false,
                new Incoming(),
                new IncomingCommands.Outcome() {
                  @Override
                  public void returned(ByteWriter result) {
                    results.add(Arrays.copyOf(result.bytes(), result.size()));
                  }

                  @Override
                  public void arrived() {
                    throw new AssertionError("was not asked");
                  }
                }));
    broker.trimMemory();
    assertThat(results).hasSize(1);
    return results.get(0);
  }

  private void read(byte[] outcome) {
    outgoing.returned(new ByteReader(outcome, outcome.length));
    batch.notifyPublishers(true, Faults.logged());
  }

  private static byte[] bytes(int... numbers) {
    ByteWriter written = new ByteWriter();
    Arrays.stream(numbers).forEach(written::number);
    return Arrays.copyOf(written.bytes(), written.size());
  }

  @Test
  void eachPublisherLearnsWhatBecameOfItsMessage() {
    publish(1, 10);
    publish(3, 11);
    publish(2, 12);
    publish(UNKNOWN, 13);
    publish(3, 14);
    byte[] outcome = outcome();
    assertThat(outcome).isEqualTo(bytes(1, 2, 1, 3, 2, 1, 4));
    read(outcome);
    assertThat(outcomes.told)
        .containsExactly("safe", "10 ok", "11 gone", "12 refused", "13 failed", "14 gone");
  }

  /** Nodes of earlier versions neither write nor read it. */
  @Test
  void listOfThoseWhoseQueueWasDeletedIsLeftOutIfItIsEmpty() {
    publish(2, 10);
    publish(1, 11);
    byte[] outcome = outcome();
    assertThat(outcome).isEqualTo(bytes(1, 0, 0));
    read(outcome);
    assertThat(outcomes.told).containsExactly("safe", "10 refused", "11 ok");
  }

  @Test
  void outcomeOfACommandThatWasNotSentIsRefused() {
    publish(1, 10);
    for (byte[] wrong : List.of(bytes(1, 1, 0), bytes(0, 1, 1), bytes(0, 0, 1, 1))) {
      assertThatThrownBy(() -> outgoing.returned(new ByteReader(wrong, wrong.length)))
          .isInstanceOf(ByteFormatException.class)
          .hasMessage("an outcome of command 1 of 1");
    }
    assertThat(outcomes.told).isEmpty();
  }
}
