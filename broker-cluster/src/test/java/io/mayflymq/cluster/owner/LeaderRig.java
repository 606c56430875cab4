package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.ForwardingPartitionStore;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogRig;
import io.mayflymq.core.store.segment.MemoryDirectory;
import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.partition.DeadLetterOutbox;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueRequests;
import io.mayflymq.core.vhost.queue.ShardQueue;
import io.mayflymq.protocol.types.FieldTable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * The leader of a replicated partition: the log of a replica, links of nodes, and queues that only
 * log what is published to them. What links send waits until the burst is committed.
 */
final class LeaderRig {
  static final LogOptions OPTIONS = LogRig.options(Sync.ALWAYS).ofReplica();

  /** How many queues there are; they are numbered from 1. */
  static final int QUEUES = 3;

  final LogRig log;
  final ManualLoops loops = ManualLoops.of(1);
  final RecordedFaults faults = new RecordedFaults();
  final Shard shard;

  /** What was done to queues besides publishing, and why connections were closed. */
  final List<String> events = new ArrayList<>();

  private final Partitions partitions;
  private final Map<Long, Queue> queues = new TreeMap<>();
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final List<Runnable> ofBurst = new ArrayList<>();
  private final long epoch;
  private BooleanSupplier refuses = () -> false;
  private BooleanSupplier isBehind = () -> false;
  private BooleanSupplier breaksOff = () -> false;

  private record Waiting(long burst, Runnable told) {}

  /** A frame. */
  record Frame(int type, ByteBuffer body) {
    static Frame of(int type, ByteWriter body) {
      return new Frame(type, ByteBuffer.wrap(Arrays.copyOf(body.bytes(), body.size())));
    }

    ByteReader read() {
      return new ByteReader(body.duplicate());
    }
  }

  /**
   * Opens what a leader has left.
   *
   * @param upTo the last burst that remains
   */
  LeaderRig(MemoryDirectory directory, long upTo) {
    log = new LogRig(directory, OPTIONS, upTo);
    epoch = log.log.bursts().last().epoch() + 1;
    Shards shards = new Shards(loops.all(), loops.clock(), faults);
    shard = shards.get(0);
    partitions = new Partitions(shards, (index, own) -> new Store());
    partitions.get(0).setOutbox(new NoDeadLetters());
    for (long id = 1; id <= QUEUES; id++) {
      queues.put(id, queue(id, partitions.get(0)));
    }
    // A leader begins with an empty burst.
    log.log.beginBurst();
    endBurst();
  }

  LeaderRig() {
    this(new MemoryDirectory(), Long.MAX_VALUE);
  }

  void refusing(BooleanSupplier whether) {
    refuses = whether;
  }

  void behind(BooleanSupplier whether) {
    isBehind = whether;
  }

  /** Batches are not applied to their end. */
  void breakingOff(BooleanSupplier whether) {
    breaksOff = whether;
  }

  Queue queue(long id) {
    return queues.get(id);
  }

  // Bursts

  /** Does something in a burst. */
  void run(Runnable work) {
    loops.get(0).call(() -> shard.run(work));
    loops.settle();
    endBurst();
  }

  /** Lets time pass. */
  void advance(long millis) {
    loops.advance(millis);
    endBurst();
  }

  private void endBurst() {
    log.batches.note(log.log::applied);
    long last = log.log.bursts().last().number();
    if (log.log.bursts().isOpen()) {
      last++;
      log.log.endBurst(new BurstId(epoch, last), 0);
    }
    log.log.flush();
    for (Runnable told : ofBurst) {
      waiting.add(new Waiting(last, told));
    }
    ofBurst.clear();
  }

  /** The last burst is committed on all replicas. */
  long commit() {
    log.safe();
    long last = log.log.bursts().last().number();
    log.log.committed(last);
    loops
        .get(0)
        .call(
            () -> {
              while (!waiting.isEmpty() && waiting.peek().burst <= last) {
                waiting.poll().told.run();
              }
            });
    loops.settle();
    endBurst();
    return last;
  }

  // Links

  /**
   * Opens a connection of a node.
   *
   * @param sent what the node is sent is added to it when it is committed
   * @param closed called when the leader wants to end it
   */
  OwnerLink open(List<Frame> sent, Runnable closed) {
    OwnerLink link =
        new OwnerLink(
            shard,
            partitions,
            new Lookup(),
            log.batches,
            new ConsumerOrder(shard, epoch, List.of()).of("node"));
    run(() -> link.up(new Port(sent, closed)));
    return link;
  }

  private final class Lookup implements QueueLookup {
    @Override
    public Queue find(String vhost, String name, long id) {
      return queues.get(id);
    }

    @Override
    public boolean mayCome(String vhost, String name, long id) {
      return false;
    }
  }

  private final class Port implements LinkPort {
    private final List<Frame> sent;
    private final Runnable closed;

    Port(List<Frame> sent, Runnable closed) {
      this.sent = sent;
      this.closed = closed;
    }

    @Override
    public int version() {
      return LinkVersion.HIGHEST;
    }

    @Override
    public void send(int type, ByteWriter body) {
      Frame frame = Frame.of(type, body);
      ofBurst.add(() -> sent.add(frame));
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close(String why) {
      events.add("closed: " + why);
      closed.run();
    }
  }

  // Queues

  private Queue queue(long id, Partition partition) {
    return new Queue(
        new QueueIdentity(id, definition(id), null, QueuePlace.replicated(1)),
        stub(QueueHost.class, (proxy, method, arguments) -> "/"),
        partition,
        queue -> new Queue.Implementation(onShard(id), requests(), null, null));
  }

  private static QueueDefinition definition(long id) {
    return new QueueDefinition("q" + id, true, false, false, FieldTable.EMPTY, null);
  }

  private static <T> T stub(Class<T> of, InvocationHandler methods) {
    Class<?>[] types = {of};
    return of.cast(Proxy.newProxyInstance(of.getClassLoader(), types, methods));
  }

  private ShardQueue onShard(long id) {
    return stub(
        ShardQueue.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "publish" -> publish(id, (Message) arguments[0]);
              case "isDeleted" -> false;
              case "pauseMillis" -> 0;
              case "waitOfPublisher" -> 0L;
              default ->
                  events.add(
                      "%s %s to %s of queue %d"
                          .formatted(method.getName(), arguments[1], arguments[2], id));
            });
  }

  private boolean publish(long id, Message message) {
    if (NumberedMessage.numberOf(message) < 0) {
      throw new IllegalStateException("a message that a queue cannot take");
    }
    if (refuses.getAsBoolean()) {
      return false;
    }
    long next = 0;
    for (LogRig.QueueKey key : log.entries.keySet()) {
      next = key.queueId() == id ? key.sequence() + 1 : next;
    }
    log.enqueue(id, next, message);
    return true;
  }

  /** Whatever is asked of a queue is a message. */
  private QueueRequests requests() {
    GetResult message = new GetResult(7, NumberedMessage.of(0, true, Message.NO_TTL, 0), false, 0);
    return stub(
        QueueRequests.class,
        (proxy, method, arguments) ->
            method.getName().equals("settings")
                ? QueueSettings.DEFAULT
                : CompletableFuture.completedFuture(message));
  }

  /** The numbers of the messages that are in queues. */
  List<Integer> messages() {
    return log.entries.keySet().stream()
        .map(key -> NumberedMessage.numberOf(log.read(key.queueId(), key.sequence())))
        .toList();
  }

  private final class Store extends ForwardingPartitionStore {
    Store() {
      super(new InMemoryStore());
    }

    @Override
    public boolean isBehind() {
      return isBehind.getAsBoolean();
    }

    @Override
    public void commit(Commit commit) {
      ofBurst.add(commit::safe);
    }

    @Override
    public void commitQueues(Commit commit) {
      commit(commit);
    }
  }

  private final class NoDeadLetters implements DeadLetterOutbox {
    @Override
    public void deliver() {}

    @Override
    public void flush(BatchArrival cause) {
      if (breaksOff.getAsBoolean()) {
        throw new IllegalStateException("a batch that breaks off");
      }
    }

    @Override
    public boolean isEmpty() {
      return true;
    }

    @Override
    public void end() {}
  }
}
