package io.mayflymq.server.cluster.link;

import static io.mayflymq.server.cluster.link.LinkRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.net.StartException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queues of another node over sockets. */
class QueueLinksTest {
  private final String here = "here" + System.identityHashCode(this) + "@host";
  private final String there = "there" + System.identityHashCode(this) + "@host";
  private LinkRig near;
  private LinkRig far;

  private void start(int shardsHere, int shardsThere) throws StartException {
    near = new LinkRig(here, shardsHere);
    far = new LinkRig(there, shardsThere);
  }

  @AfterEach
  void close() {
    near.close();
    far.close();
    assertThat(near.faults.lastContained() + far.faults.lastContained()).isEmpty();
  }

  /** Consumes and remembers. */
  private static final class Collector implements ConsumerTarget {
    private final List<Integer> numbers = new ArrayList<>();
    private volatile int count;
    private volatile boolean cancelled;

    @Override
    public boolean reserve(Consumer consumer) {
      return true;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    public void deliver(Consumer consumer, long sequence, Message message, boolean redelivered) {
      numbers.add(LinkRig.number(message));
      count++;
    }

    @Override
    public void cancelled(Consumer consumer) {
      cancelled = true;
    }
  }

  private static Consumer consumer(ConsumerTarget target, boolean acknowledges) {
    return new Consumer(
        ShortString.of("tag"),
        new ConsumeOptions(acknowledges, false, 0, FieldTable.EMPTY),
        target);
  }

  private final List<String> outcomes = new ArrayList<>();
  private volatile int told;

  private void publish(Queue queue, int count, int bytes) {
    PublishListener listener =
        new PublishListener() {
          @Override
          @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
          public void settled(long sequence, boolean accepted) {
            outcomes.add(sequence + (accepted ? "" : " refused"));
            told++;
          }

          @Override
          @SuppressWarnings("NonAtomicVolatileUpdate")
          public void lost(long sequence) {
            outcomes.add(sequence + " lost");
            told++;
          }
        };
    var shard = near.shards.get(0);
    shard.execute(
        () -> {
          ShardCommandSender commands = new ShardCommandSender(shard, near.partitions, () -> {});
          for (int i = 0; i < count; i++) {
            commands.publish(queue, LinkRig.message(i, bytes), listener, i);
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "1, 3", "3, 1"})
  void messagesGoToTheNodeAndBackInOrder(int shardsHere, int shardsThere) throws Exception {
    start(shardsHere, shardsThere);
    for (int i = 0; i < shardsThere; i++) {
      Queue queue = near.remote(far.declare("q" + i, FieldTable.EMPTY), near.node(there));
      Collector collector = new Collector();
      queue.requests().subscribe(consumer(collector, false), () -> {}).get(60, TimeUnit.SECONDS);
      told = 0;
      publish(queue, 5_000, 1_000);
      until(() -> collector.count == 5_000 && told == 5_000);
      assertThat(collector.numbers).isEqualTo(IntStream.range(0, 5_000).boxed().toList());
      assertThat(outcomes).allMatch(outcome -> outcome.matches("[0-9]+"));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2"})
  void messageLargerThanAFrameArrives(int shardsHere, int shardsThere) throws Exception {
    start(shardsHere, shardsThere);
    Queue queue = near.remote(far.declare("q", FieldTable.EMPTY), near.node(there));
    publish(queue, 2, 20 * 1024 * 1024);
    until(() -> told == 2);
    GetResult got = queue.requests().fetch(false).get(60, TimeUnit.SECONDS);
    assertThat(got.message().bodyLength()).isEqualTo(20 * 1024 * 1024);
    assertThat(got.remaining()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2"})
  void consumersAndPublishersLearnOfTheLossAndGoOnWhenTheNodeIsBack(int shardsHere, int shardsThere)
      throws Exception {
    start(shardsHere, shardsThere);
    Queue queue = near.remote(far.declare("q", FieldTable.EMPTY), near.node(there));
    Collector collector = new Collector();
    publish(queue, 3, 10);
    queue.requests().subscribe(consumer(collector, true), () -> {}).get(60, TimeUnit.SECONDS);
    until(() -> collector.count == 3);
    far.links.close();
    far.transport.close();
    until(() -> collector.cancelled);
    until(() -> far.declare("q", FieldTable.EMPTY) != null && readyThere() == 3);
    try {
      queue.requests().fetch(true).get(60, TimeUnit.SECONDS);
      throw new AssertionError("the node is not there");
    } catch (ExecutionException e) {
      assertThat(e)
          .hasMessageContaining(
              "home node '%s' of queue 'q' in vhost '/' is down or inaccessible".formatted(there));
    }
    far.listen();
    far.links.serve();
    until(() -> !queue.requests().fetch(false).handle((got, failure) -> failure != null).join());
    Collector again = new Collector();
    queue.requests().subscribe(consumer(again, false), () -> {}).get(60, TimeUnit.SECONDS);
    until(() -> again.count >= 2);
    assertThat(again.numbers).isSorted();
  }

  @Test
  void linksToANodeThatIsDisconnectedEnd() throws Exception {
    start(1, 1);
    Queue queue = near.remote(far.declare("q", FieldTable.EMPTY), near.node(there));
    Collector collector = new Collector();
    queue.requests().subscribe(consumer(collector, true), () -> {}).get(60, TimeUnit.SECONDS);
    near.transport.disconnect(there, "no longer a member");
    until(() -> collector.cancelled);
    until(() -> queue.requests().fetch(false).handle((got, failure) -> failure != null).join());
  }

  @Test
  void queuesOfANodeThatRecoversAreReachedWhenItServesThem() throws Exception {
    near = new LinkRig(here, 1);
    far = new LinkRig(there, 1, false);
    Queue queue = near.remote(far.declare("q", FieldTable.EMPTY), near.node(there));
    publish(queue, 1, 10);
    until(() -> told == 1);
    assertThat(outcomes).doesNotContain("0");
    assertThat(readyThere()).isZero();
    far.links.serve();
    until(() -> !queue.requests().fetch(false).handle((got, failure) -> failure != null).join());
    publish(queue, 1, 10);
    until(() -> told == 2);
    assertThat(readyThere()).isEqualTo(1);
  }

  private long readyThere() {
    return far.vhost.declareOk("q", this, false).join().messages();
  }
}
