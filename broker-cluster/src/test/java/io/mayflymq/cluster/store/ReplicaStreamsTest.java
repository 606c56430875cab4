package io.mayflymq.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.replication.Burst;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.disk.DiskStores;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A stream with a leader and a follower, whose disks are in memory. */
class ReplicaStreamsTest {
  private static final int PARTITION = 7;
  private static final long STREAM = 5;

  private final Node leader = new Node(new MemoryHost());
  private Node follower = new Node(new MemoryHost());

  /** What the leader has appended and the follower has not got. */
  private final ArrayDeque<Burst> sent = new ArrayDeque<>();

  private StreamStore stream;
  private int published;

  /** What a node knows of the stream. */
  private static final class Rules implements StreamRules {
    QueueSettings settings;

    @Override
    public QueueSettings settingsOf(long queueId) {
      return settings;
    }

    @Override
    public boolean isDeleted(long queueId) {
      return false;
    }
  }

  /** A node with a replica. */
  private static final class Node {
    final MemoryHost host;
    final RecordedFaults faults = new RecordedFaults();
    final ManualClock clock = new ManualClock();
    final ManualLoop loop = new ManualLoop(clock);
    final Shard shard = new Shard(0, loop, clock, faults);
    final Rules rules = new Rules();
    final DiskReplica replica;
    PartitionStore store;

    Node(MemoryHost host) {
      this.host = host;
      host.runAtOnce(true);
      DiskStores stores = host.diskStores(1, 1 << 20);
      stores.create(0, shard);
      replica = new DiskReplicas(stores).open(PARTITION, new PartitionTime(shard), rules);
    }

    void burst(Runnable task) {
      loop.call(() -> shard.run(task));
      settle();
    }

    void settle() {
      while (loop.step()) {
        // A task may have brought others.
      }
      faults.assertNone();
    }

    /** Two seconds pass: entries that are in the files are settled. */
    void pass() {
      for (int i = 0; i < 10; i++) {
        clock.advance(200);
        settle();
      }
    }

    StreamStore open() {
      StreamStore opened = store.openStream(STREAM, new QueueName("host", "log"));
      opened.attach(() -> {});
      return opened;
    }

    StreamStore lead(long epoch, BurstSink sink) {
      StreamStore[] opened = new StreamStore[1];
      burst(
          () -> {
            replica.append(numbered(epoch, replica.last().number() + 1, ByteBuffer.allocate(0)));
            store = replica.lead(sink);
            opened[0] = open();
            store.recover(Map.of(), id -> {});
            store.recoveredForGood();
          });
      return opened[0];
    }
  }

  private static Burst numbered(long epoch, long number, ByteBuffer content) {
    return new Burst(new BurstId(epoch, number), content);
  }

  /** The leader's bursts go to the follower; what is committed is told to both. */
  private void lead() {
    stream = leader.lead(1, content -> append(leader, 1, content));
    follow(numbered(1, leader.replica.last().number(), ByteBuffer.allocate(0)));
    commit();
  }

  private long append(Node node, long epoch, ByteBuffer content) {
    Burst next = numbered(epoch, node.replica.last().number() + 1, content);
    node.replica.append(next);
    sent.add(next);
    return next.id().number();
  }

  private void follow(Burst next) {
    follower.burst(() -> follower.replica.append(next));
  }

  private void send() {
    while (!sent.isEmpty()) {
      follow(sent.remove());
    }
  }

  private void commit() {
    long last = leader.replica.last().number();
    leader.burst(() -> leader.replica.committed(last));
    follower.burst(() -> follower.replica.committed(last));
  }

  private void publish(int count) {
    leader.burst(
        () -> {
          for (int i = 0; i < count; i++) {
            stream.append(message("m" + published++), leader.shard.now());
          }
        });
  }

  private static Message message(String body) {
    return Message.ofBroker(
        "", ShortString.of("log"), BasicProperties.EMPTY, body.getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> read(StreamStore stream) {
    List<String> bodies = new ArrayList<>();
    try (StreamCursor cursor = stream.read(0)) {
      while (cursor.next()) {
        assertThat(cursor.offset()).isEqualTo(bodies.size());
        Message message = cursor.message();
        byte[] content = message.content();
        int from = message.propertiesLength();
        bodies.add(new String(content, from, content.length - from, StandardCharsets.UTF_8));
      }
    }
    return bodies;
  }

  private static List<String> bodies(int count) {
    return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
  }

  /** Has a node lead that the leader is lost for, and returns what it has when it may commit. */
  private static List<String> readAt(Node node) {
    StreamStore led =
        node.lead(
            2,
            content -> {
              node.replica.append(numbered(2, node.replica.last().number() + 1, content));
              return node.replica.last().number();
            });
    node.burst(() -> node.replica.committed(node.replica.last().number()));
    return read(led);
  }

  @Test
  void showsWhatIsCommitted() {
    lead();
    publish(3);
    assertThat(read(stream)).isEmpty();
    assertThat(stream.nextOffset()).isEqualTo(3);

    send();
    commit();

    assertThat(read(stream)).isEqualTo(bodies(3));
  }

  @Test
  void theNextLeaderHasWhatIsInItsLogAndInItsFiles() {
    lead();
    publish(100);
    send();
    commit();
    publish(3); // The follower has them and does not know that they are committed.
    send();

    assertThat(readAt(follower)).isEqualTo(bodies(103));
  }

  @Test
  void whatIsCutWasInNoFile() {
    lead();
    publish(10);
    send();
    commit();
    long committed = follower.replica.last().number();
    publish(5);
    send();

    follower.burst(() -> follower.replica.cutAfter(committed, 2));

    assertThat(readAt(follower)).isEqualTo(bodies(10));
  }

  @Test
  void aSettledEntryIsInTheFilesOfTheFollowerThoughItDidNotKnowThatItIsCommitted() {
    lead();
    publish(200);
    send();
    leader.burst(() -> leader.replica.committed(leader.replica.last().number()));
    leader.pass();
    assertThat(sent).as("the settlement").isNotEmpty();
    send();

    follower = new Node(follower.host.afterKill());

    assertThat(readAt(follower)).isEqualTo(bodies(200));
  }

  @Test
  void aReplicaThatTakesOverGetsWhatItsFilesLack() {
    lead();
    publish(50);
    send();
    commit();
    publish(150);
    sent.clear(); // The follower is away.
    leader.burst(() -> leader.replica.committed(leader.replica.last().number()));
    leader.pass();
    leader.burst(() -> leader.replica.committed(leader.replica.last().number()));
    publish(20);
    leader.burst(() -> leader.replica.committed(leader.replica.last().number()));

    takeOver();

    assertThat(readAt(follower)).isEqualTo(bodies(220));
  }

  private void takeOver() {
    List<ByteBuffer> parts = new ArrayList<>();
    boolean[] ended = new boolean[1];
    follower.burst(follower.replica::takingOver);
    leader.burst(
        () ->
            leader.replica.copy(
                new LogCopySink() {
                  @Override
                  public boolean isWritable() {
                    return true;
                  }

                  @Override
                  public void part(ByteBuffer content) {
                    parts.add(content);
                  }

                  @Override
                  public void end() {
                    ended[0] = true;
                  }

                  @Override
                  public void failed(String reason) {
                    throw new AssertionError(reason);
                  }
                },
                follower.replica.streamEnds()));
    assertThat(ended[0]).isTrue();
    follower.burst(() -> parts.forEach(follower.replica::take));
    follower.burst(
        () -> follower.replica.takenOver(leader.replica.last(), leader.replica.history()));
  }

  @Test
  void whatIsOverTheLimitIsDeletedWhenTheDiskHasIt() {
    leader.rules.settings =
        QueueValues.NONE
            .with(PolicyKey.MAX_LENGTH_BYTES, 2_000)
            .with(PolicyKey.STREAM_MAX_SEGMENT_SIZE_BYTES, 1_000)
            .settings();
    lead();
    leader.host.runAtOnce(false);
    for (int burst = 0; burst < 10; burst++) {
      publish(50);
      send();
      commit();
    }
    assertThat(stream.firstOffset()).isZero();

    leader.host.flush();
    leader.settle();

    assertThat(stream.firstOffset()).isPositive();
  }

  @Test
  void aDeletedStreamHasNoFiles() {
    lead();
    publish(10);
    send();
    commit();
    assertThat(follower.host.list()).contains("replica-7-stream-5");

    leader.burst(stream::forget);
    send();
    commit();

    assertThat(leader.host.list()).doesNotContain("replica-7-stream-5");
    assertThat(follower.host.list()).doesNotContain("replica-7-stream-5");
  }
}
