package io.mayflymq.core.vhost.partition;

import io.mayflymq.core.deathjournal.DeathBatch;
import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.metrics.PartitionCounts;
import io.mayflymq.core.queue.SharedLeases;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A set of queues with what they share: a message log, memory pages, the deaths of a burst and the
 * dead letters that leave. One shard, a thread, does the work of a partition, and may do that of
 * several.
 *
 * <p>The number of a partition is what metadata knows of where a queue is. All but the identity
 * belongs to the shard.
 */
public final class Partition {
  private static final int SPARE_PAGES = 64;

  private final int index;
  private final PartitionTime time;
  private final PartitionStore store;
  private final PagePool pages = new PagePool(SPARE_PAGES);
  private final DeathJournal journal;
  private final DeathBatch deaths;
  private final PartitionCounts counts;
  private final LeaseEnds leaseEnds;
  private DeadLetterOutbox outbox;
  private SharedLeases leases;
  private BooleanSupplier mayEndLeases = () -> true;

  Partition(int index, PartitionTime time, PartitionStore store, DeathJournal journal) {
    this(index, time, store, journal, new PartitionCounts());
  }

  private Partition(
      int index,
      PartitionTime time,
      PartitionStore store,
      DeathJournal journal,
      PartitionCounts counts) {
    this.index = index;
    this.time = time;
    this.store = store;
    this.journal = journal;
    this.deaths = new DeathBatch(journal);
    this.counts = counts;
    this.leaseEnds = new LeaseEnds(time.shard());
  }

  /**
   * Returns the same partition with another store: what was counted goes on.
   *
   * @param next null for none
   */
  Partition with(PartitionTime itsTime, PartitionStore next) {
    return new Partition(index, itsTime, next, journal, counts);
  }

  /** Returns its number, from 0. Any thread may call. */
  public int index() {
    return index;
  }

  /** Returns the shard that does its work. Any thread may call. */
  public Shard shard() {
    return time.shard();
  }

  /** Returns the time that its queues go by. */
  public PartitionTime time() {
    return time;
  }

  /** Returns what time it is for its queues in the present burst, in ms since the epoch. */
  public long now() {
    return time.now();
  }

  /** Returns the store of its messages; null if it is on another node, or closed. */
  public PartitionStore store() {
    return store;
  }

  /**
   * Returns a future that is done, on any thread, when all that its queues have done so far is as
   * safe as the disk and the other replicas allow: if they fail, that causes no delay. Any thread
   * may call.
   */
  public CompletableFuture<Void> safe() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    shard().runOrExecute(() -> commitQueues(done));
    return done;
  }

  private void commitQueues(CompletableFuture<Void> done) {
    if (store == null) {
      done.complete(null);
      return;
    }
    store.commitQueues(
        new Commit() {
          @Override
          public void safe() {
            done.complete(null);
          }

          @Override
          public void failed() {
            safe();
          }
        });
  }

  /** Returns the memory pages for the indexes of its queues. */
  public PagePool pages() {
    return pages;
  }

  /** Returns what takes the deaths in its queues to the journal. */
  public DeathBatch deaths() {
    return deaths;
  }

  /** Returns what its queues count together. Any thread may read. */
  public PartitionCounts counts() {
    return counts;
  }

  /** Returns what lets queues go whose leases have ended. */
  public LeaseEnds leaseEnds() {
    return leaseEnds;
  }

  /** Returns the dead letters of its queues that have not left yet. */
  public DeadLetterOutbox outbox() {
    return outbox;
  }

  /** Sets the outbox: once, before the first queue. */
  public void setOutbox(DeadLetterOutbox itsOutbox) {
    outbox = itsOutbox;
  }

  /** Returns what other replicas know of its leases; null unless it has replicas. */
  public SharedLeases leases() {
    return leases;
  }

  /**
   * Returns whether queues may be deleted whose leases have ended: not while this node may lead the
   * partition no more, as they may be used at another one.
   */
  public boolean mayEndLeases() {
    return mayEndLeases.getAsBoolean();
  }

  /** Sets both: once, before the first queue. */
  public void setLeases(SharedLeases known, BooleanSupplier mayEnd) {
    leases = known;
    mayEndLeases = mayEnd;
  }

  @Override
  public String toString() {
    return "partition " + index;
  }
}
