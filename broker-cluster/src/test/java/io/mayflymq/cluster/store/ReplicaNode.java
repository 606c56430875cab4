package io.mayflymq.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.replication.Burst;
import io.mayflymq.cluster.store.NaiveQueue.StoredMessage;
import io.mayflymq.cluster.store.ReplicaContents.Back;
import io.mayflymq.cluster.store.ReplicaContents.MessageKey;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.LinkBatches;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.disk.DiskStores;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/** A node with one replica, and while it leads, its queues. Its disk is in memory. */
final class ReplicaNode {
  private static final int PARTITION = 7;
  private static final int MEMORY = 1 << 20;
  static final BatchOrigin LINK = new BatchOrigin(1, new UUID(3, 4));

  final MemoryHost host;
  final DiskReplica replica;
  final TreeMap<Long, NaiveQueue> queues = new TreeMap<>();

  /** What the log is known to have forced. */
  long forced;

  private final ManualClock clock = new ManualClock();
  private final ManualLoop loop = new ManualLoop(clock);
  private final RecordedFaults faults = new RecordedFaults();
  private final Shard shard = new Shard(0, loop, clock, faults);
  private final DiskReplicas replicas;

  /** Dead messages, whose dead letters are not safe elsewhere. */
  private final Map<MessageKey, Dead> awaited = new HashMap<>();

  private PartitionStore store;

  private record Dead(StoredMessage entry, UnsettledEntry unsettled) {}

  ReplicaNode(MemoryHost host) {
    this.host = host;
    host.runAtOnce(true);
    DiskStores stores = host.diskStores(1, MEMORY);
    stores.create(0, shard);
    replicas = new DiskReplicas(stores);
    replica = replicas.open(PARTITION, new PartitionTime(shard), new NoStreams());
    replica.onForced(
        burst -> {
          if (replica.history().epochOf(burst.number()) == burst.epoch()) {
            forced = Math.max(forced, burst.number());
          }
        });
    forced = replica.last().number();
    host.runAtOnce(false);
  }

  boolean leads() {
    return store != null;
  }

  /** Does something in a burst of the shard, and what comes of it. */
  void burst(Runnable task) {
    loop.call(() -> shard.run(task));
    settle();
  }

  /** The same for what closes files: the disk takes part in it. */
  void burstWithDisk(Runnable task) {
    runDisk();
    host.runAtOnce(true);
    burst(task);
    host.runAtOnce(false);
  }

  private void settle() {
    while (loop.step()) {
      // A task may have brought others.
    }
    faults.assertNone();
  }

  /** Time passes: what is to be done now and then is done. */
  void tick() {
    clock.advance(200);
    settle();
  }

  void runDisk() {
    host.flush();
    settle();
  }

  // Leading

  /**
   * Leads from now on.
   *
   * @param first the first burst of the epoch
   * @param ids the queues that exist
   */
  void lead(Burst first, Collection<Long> ids, BurstSink sink) {
    burstWithDisk(
        () -> {
          replica.append(first);
          store = replica.lead(sink);
          recover(ids);
        });
  }

  private void recover(Collection<Long> ids) {
    for (long id : ids) {
      open(id);
    }
    store.recover(Map.of(), id -> {});
    store.recoveredForGood();
    queues.values().forEach(NaiveQueue::recovered);
  }

  NaiveQueue open(long id) {
    NaiveQueue queue =
        new NaiveQueue(
            id, store.open(id, new QueueName("host", "queue " + id), QueueStore.Kept.ALL));
    queues.put(id, queue);
    return queue;
  }

  void follow() {
    burstWithDisk(
        () -> {
          replica.follow();
          store = null;
          queues.clear();
          awaited.clear();
        });
  }

  /** What a replica has that is started on this disk. */
  ReplicaContents contentsAtStart(Collection<Long> ids) {
    burstWithDisk(
        () -> {
          store = replica.lead(content -> replica.last().number());
          recover(ids);
        });
    return contents();
  }

  ReplicaContents contents() {
    ReplicaContents all =
        new ReplicaContents(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), applied());
    for (NaiveQueue queue : queues.values()) {
      queue.entries.forEach(
          (sequence, entry) -> put(all, new MessageKey(queue.id, sequence), entry));
      queue.returned.forEach(
          (sequence, back) -> all.returned().put(new MessageKey(queue.id, sequence), back));
    }
    awaited.forEach((key, dead) -> put(all, key, dead.entry));
    queues
        .values()
        .forEach(
            queue -> {
              MessageKey first = all.messages().ceilingKey(new MessageKey(queue.id, 0));
              boolean isAny =
                  first != null
                      && first.queueId() == queue.id
                      && first.sequence() <= queue.delivered;
              if (isAny) {
                all.delivered().put(queue.id, queue.delivered);
              }
            });
    return all;
  }

  private static void put(ReplicaContents all, MessageKey key, StoredMessage entry) {
    String what = entry.name() + " " + entry.bodyLength() + " " + entry.deadline();
    all.messages().put(key, what + " " + entry.at());
  }

  private long applied() {
    LinkBatches batches = store.batches().of(LINK);
    long number = 0;
    while (batches.isApplied(number + 1)) {
      number++;
    }
    return number;
  }

  // What happens to the queues

  void publish(long queueId, long sequence, int number, int bodyLength) {
    NaiveQueue queue = queues.get(queueId);
    Message message = message("m" + number, bodyLength);
    assertThat(queue.store.isPersistent(message)).isTrue();
    long deadline = 1000L + number;
    queue.store.admit(message, false);
    long location = queue.store.store(sequence, message, deadline, shard.now());
    queue.entries.put(
        sequence, new StoredMessage(location, bodyLength, deadline, shard.now(), "m" + number));
  }

  private static Message message(String name, int bodyLength) {
    return Message.ofBroker("", ShortString.of(name), BasicProperties.EMPTY, new byte[bodyLength]);
  }

  /** Takes a message out of a queue; null if it has none. */
  private Map.Entry<Long, StoredMessage> take(NaiveQueue queue, Random random) {
    if (queue.entries.isEmpty()) {
      return null;
    }
    long from = queue.entries.firstKey() + random.nextInt(1 + random.nextInt(20));
    Map.Entry<Long, StoredMessage> taken = queue.entries.ceilingEntry(from);
    taken = taken == null ? queue.entries.firstEntry() : taken;
    queue.entries.remove(taken.getKey());
    queue.returned.remove(taken.getKey());
    queue.store.left(null);
    return taken;
  }

  void settle(long queueId, Random random) {
    NaiveQueue queue = queues.get(queueId);
    Map.Entry<Long, StoredMessage> taken = take(queue, random);
    if (taken != null) {
      StoredMessage entry = taken.getValue();
      queue.store.settle(taken.getKey(), entry.location(), entry.bodyLength());
    }
  }

  /** A message dies, and enters another queue. */
  void move(long fromQueue, long toQueue, long toSequence, Random random) {
    NaiveQueue queue = queues.get(fromQueue);
    Map.Entry<Long, StoredMessage> taken = take(queue, random);
    if (taken == null) {
      return;
    }
    StoredMessage entry = taken.getValue();
    UnsettledEntry source =
        queue.store.detach(taken.getKey(), entry.location(), entry.bodyLength());
    Message deadLetter = message(entry.name(), entry.bodyLength());
    Move move = store.move(source, deadLetter);
    NaiveQueue target = queues.get(toQueue);
    target.store.enter(move, toSequence, 5);
    target.entries.put(
        toSequence,
        new StoredMessage(QueueStore.NOWHERE, entry.bodyLength(), 5, shard.now(), entry.name()));
    move.write(shard.now(), false);
  }

  /**
   * A message dies, whose dead letter goes elsewhere. It was not returned: whether that is still
   * known if it dies again after a restart is not defined.
   */
  void await(long queueId, Random random) {
    NaiveQueue queue = queues.get(queueId);
    if (!queue.returned.isEmpty()) {
      return;
    }
    Map.Entry<Long, StoredMessage> taken = take(queue, random);
    if (taken != null) {
      StoredMessage entry = taken.getValue();
      UnsettledEntry unsettled =
          queue.store.detach(taken.getKey(), entry.location(), entry.bodyLength());
      store.await(unsettled);
      awaited.put(new MessageKey(queueId, taken.getKey()), new Dead(entry, unsettled));
    }
  }

  /** Dead letters are safe elsewhere. */
  void settleAwaited() {
    awaited.values().forEach(dead -> store.settle(dead.unsettled));
    awaited.clear();
  }

  void deliver(long queueId) {
    NaiveQueue queue = queues.get(queueId);
    if (!queue.entries.isEmpty()) {
      long upTo = queue.entries.lastKey();
      queue.delivered = Math.max(queue.delivered, upTo);
      queue.store.delivered(upTo);
    }
  }

  void comeBack(long queueId, Random random) {
    NaiveQueue queue = queues.get(queueId);
    if (!queue.entries.isEmpty()) {
      List<Long> sequences = new ArrayList<>(queue.entries.keySet());
      long sequence = sequences.get(random.nextInt(sequences.size()));
      Back before = queue.returned.getOrDefault(sequence, new Back(0, 0));
      Back back =
          new Back(
              DeliveryCount.next(before.returns(), random.nextBoolean()), 1 + random.nextInt(1000));
      queue.returned.put(sequence, back);
      queue.store.returned(sequence, back.returns(), back.untilMillis());
    }
  }

  void forget(long queueId) {
    settleAwaited();
    queues.remove(queueId).store.forget();
  }

  void applyBatch() {
    store.batches().of(LINK).applied(applied() + 1, LinkBatches.SUCCESS);
  }

  void commit(Commit commit) {
    store.commit(commit);
  }

  ByteBuffer read(long number) {
    Burst burst = replica.read(number);
    return burst == null ? null : burst.content();
  }
}
