package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.replication.ReplicaDriver;
import io.mayflymq.cluster.replication.ReplicaMachine;
import io.mayflymq.cluster.replication.ReplicaOwner;
import io.mayflymq.cluster.store.BurstSink;
import io.mayflymq.cluster.store.DiskReplica;
import io.mayflymq.cluster.store.LogCopySink;
import io.mayflymq.cluster.store.ReplicaCopy;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica of a partition on this node: it follows, which is the log's work alone, or it leads,
 * and has queues then ({@link LedPartition}). On the partition's shard, but for one method.
 *
 * <p>The log is opened anew with each change between the two. So what a new leader has is what it
 * would have after kill -9, and a leader that is none any more keeps nothing in memory that the
 * next one may have undone.
 */
final class LocalReplica implements ReplicaOwner {
  private static final Logger LOGGER = LoggerFactory.getLogger(LocalReplica.class);

  /** How often it is looked whether a leader may deliver again what waits for that. */
  private static final long LOOK_MILLIS = 20;

  /** A leader whose commits take longer is taken for one that cannot commit at present. */
  private static final long LONGEST_COMMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final int number;
  private final int index;
  private final Shard shard;
  private final PartitionTime time;
  private final Broker broker;
  private final DiskReplica log;
  private final Owner owner;
  private final ReplicaDriver hosted;
  private final CompletableFuture<Void> released = new CompletableFuture<>();

  /** What is being copied to followers that take everything over, by their nodes. */
  private final Map<Integer, ReplicaCopy> copies = new HashMap<>(0);

  private final LeaderConnections fromLeaders = new LeaderConnections(this::failed);

  private final CommitTimes commits = new CommitTimes();
  private volatile LedPartition led;
  private boolean looks;
  private boolean isReleased;

  /** The node, as the replica needs it. On the partition's shard. */
  interface Owner {
    /**
     * Returns the queues of the partition: of each virtual host those of one moment. So one that is
     * deleted or comes back meanwhile is among them, in either list.
     */
    VirtualHost.Queues queues();

    /** Returns the copies of queues that are being moved to the partition. */
    Collection<Queue> copies();

    /** This node leads, and takes connections to the queues. */
    void leads();

    /**
     * Called once in a heartbeat.
     *
     * @param aheadMillis how far the time of the partition is ahead of the clock of this node
     */
    void timeIs(long aheadMillis);

    /** The replica cannot go on. It does nothing any more, and is to be closed. */
    void failed(Exception why);
  }

  /**
   * Opens the replica; it begins with {@link #start}.
   *
   * @param place where it is
   * @param log opened as that of a follower
   */
  LocalReplica(
      ReplicaDriver.Place place,
      Assignment assignment,
      Broker broker,
      DiskReplica log,
      Owner owner) {
    this.number = place.partition();
    this.index = broker.partitions().reserve();
    this.shard = place.shard();
    this.time = place.time();
    this.broker = broker;
    this.log = log;
    this.owner = owner;
    this.hosted = new ReplicaDriver(place, assignment, log, this);
    log.onForced(hosted::forced);
  }

  void start() {
    hosted.start();
  }

  void assigned(Assignment assignment) {
    hosted.assigned(assignment);
  }

  /**
   * A node has ended.
   *
   * @param node its number
   * @param name its name
   */
  void ended(int node, String name) {
    hosted.ended(node);
    if (led != null) {
      led.ended(name);
    }
  }

  /** Returns what takes a connection of the leader. */
  LinkListener acceptLeader() {
    return fromLeaders.guarded(hosted.accept());
  }

  /** Returns what takes a connection of a node to the queues; null if this node does not lead. */
  LinkListener acceptQueues(String node) {
    return led == null ? null : led.accept(node);
  }

  /** Returns what does the work of a queue, as {@link PartitionOnNode#nearest} does. Any thread. */
  Queue nearest(Queue queue) {
    LedPartition present = led;
    Queue found = present == null ? null : present.queue(queue.id());
    return found == null ? queue : found;
  }

  void declared(Queue queue) {
    if (led != null) {
      led.declared(queue);
    }
  }

  void awaited(Queue copy) {
    if (led != null) {
      led.awaited(copy);
    }
  }

  void arrived(Queue queue) {
    if (led != null) {
      led.arrived(queue);
    }
  }

  void kept(Queue queue, long deletedAtMillis) {
    if (led != null) {
      led.kept(queue, deletedAtMillis);
    }
  }

  void deleted(Queue queue) {
    if (led != null) {
      led.deleted(queue);
    }
    if (queue.isStream()) {
      log.streamDeleted(queue.id());
    }
  }

  @Override
  public void leads(long epoch) {
    try {
      openQueues(epoch);
    } catch (StoreException e) {
      failed(e);
    } catch (RuntimeException e) {
      shard.faults().report("opening the queues of replicated partition", number, e);
      failed(e);
    }
  }

  /** Without an answer of this node the others elect another leader, or go on without it. */
  private void failed(Exception why) {
    hosted.close();
    shard.execute(() -> owner.failed(why));
  }

  private void openQueues(long epoch) {
    long began = shard.elapsedNanos();
    PartitionStore store = log.lead(new Bursts());
    Partition partition = broker.partitions().led(index, time, store);
    partition.setLeases(hosted.leases(), hosted::mayDeliver);
    LedPartition opened =
        new LedPartition(broker, partition, hosted.leases(), this::mayTell, epoch);
    // In this order: a copy that has become the queue in between is found in one of them.
    owner.copies().forEach(opened::awaited);
    VirtualHost.Queues queues = owner.queues();
    long messages = opened.open(queues.present(), queues.deleted());
    led = opened;
    LOGGER.info(
        "leads replicated partition {} in epoch {}: {} queues with {} messages, after {} ms",
        number,
        epoch,
        queues.present().size(),
        messages,
        (shard.elapsedNanos() - began) / 1_000_000);
    owner.leads();
  }

  /** What the queues have changed goes to the followers. */
  private final class Bursts implements BurstSink {
    @Override
    public long append(ByteBuffer content) {
      long burst = hosted.append(content);
      commits.appended(burst, shard.elapsedNanos());
      return burst;
    }

    @Override
    public boolean isBehind() {
      return hosted.isBehind();
    }

    @Override
    public long commitMillis() {
      return TimeUnit.NANOSECONDS.toMillis(commits.presentNanos(shard.elapsedNanos()));
    }
  }

  /** What is told waits until this node may deliver, or leads no more. */
  private boolean mayTell() {
    boolean may = hosted.mayDeliver();
    if (!may && !looks) {
      looks = true;
      shard.loop().schedule(() -> shard.run(this::look), LOOK_MILLIS);
    }
    return may;
  }

  private void look() {
    looks = false;
    if (led != null) {
      led.release();
    }
  }

  /** The log tells what waits for that. */
  @Override
  public void committed(long last) {
    commits.committed(last, shard.elapsedNanos());
  }

  /** Returns how it is now. */
  ReplicaStats figures() {
    return new ReplicaStats(
        number,
        hosted.state(),
        log.gone(),
        log.segments(),
        time.aheadMillis(),
        commits.lastNanos(),
        commits.read());
  }

  @Override
  public void keepTime() {
    log.keepTime();
    if (led != null) {
      led.tell(
          !hosted.mayDeliver()
              || commits.waitingNanos(shard.elapsedNanos()) > LONGEST_COMMIT_NANOS);
    }
    owner.timeIs(time.aheadOfMachineMillis());
  }

  /** One that was begun over an earlier connection is cancelled. */
  @Override
  public void copyTo(int node, Map<Long, Long> streamEnds) {
    ReplicaCopy begun = copies.remove(node);
    if (begun != null) {
      begun.cancel();
    }
    copies.put(node, log.copy(new Copy(node), streamEnds));
  }

  /** A copy of all that there is, for a follower. */
  private final class Copy implements LogCopySink {
    private final int node;

    Copy(int node) {
      this.node = node;
    }

    @Override
    public boolean isWritable() {
      return hosted.isWritable(node);
    }

    @Override
    public void part(ByteBuffer content) {
      hosted.sendCopy(node, content);
    }

    @Override
    public void end() {
      copies.remove(node);
      hosted.copySent(node);
    }

    @Override
    public void failed(String reason) {
      LOGGER.warn("a copy of partition {} for node {} has ended: {}", number, node, reason);
    }
  }

  @Override
  public void leadsNoMore(String reason) {
    LOGGER.info("leads replicated partition {} no more: {}", number, reason);
    endQueues(reason);
    copies.clear();
    commits.clear();
    try {
      log.follow();
    } catch (StoreException e) {
      failed(e);
    }
    if (isReleased) {
      released.complete(null);
    }
  }

  private void endQueues(String why) {
    LedPartition ended = led;
    led = null;
    if (ended != null) {
      ended.end(why);
    }
  }

  /**
   * Has another replica lead in place of this one, if this one leads.
   *
   * @param to the number of its node; {@link ReplicaMachine#ANY} for any that is in sync
   * @return whether this one leads
   */
  boolean handOver(int to) {
    if (!hosted.leads()) {
      return false;
    }
    hosted.leases().noteExactly();
    endQueues("another node is to lead");
    hosted.handOver(to);
    return true;
  }

  /**
   * Leads no more, as the node stops.
   *
   * @return done when that has happened
   */
  CompletableFuture<Void> release() {
    hosted.retire();
    isReleased = true;
    if (hosted.leads()) {
      handOver(ReplicaMachine.ANY);
    } else {
      released.complete(null);
    }
    return released;
  }

  /** Ends its work: the node stops, or does not keep the partition any more, or not now. */
  CompletableFuture<Void> close() {
    hosted.close();
    endQueues("the node stops");
    fromLeaders.close();
    released.complete(null);
    return log.close();
  }

  /**
   * Returns whether the log can be read again as after a restart: when there is room on its disk
   * again, and not what the disk has refused to force. To be called when it is closed.
   */
  boolean mayOpenAgain() {
    return !log.hasFailed();
  }
}
