package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.expiry.Deadlines;
import io.mayflymq.core.queue.MovableQueue;
import io.mayflymq.core.replication.QueueLeases;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.function.LongSupplier;

/**
 * The lease of a queue of a replicated partition: it goes on when another node leads. Uses are
 * noted now and then; see {@link QueueLeases}. Belongs to the queue's shard.
 */
final class NotedLease {
  /** Uses within this part of a lease after one that was noted need no note. */
  private static final int PARTS = 20;

  /** They are noted after this time at the latest. */
  private static final long LONGEST_UNNOTED_MILLIS = 10_000;

  /** A lease that was to end while there was no leader ends so long after a leader is there. */
  private static final long GRACE_MILLIS = 2_000;

  private static final long NOT_NOTED = Long.MIN_VALUE;

  private final Queue queue;
  private final Partition partition;
  private final QueueLeases leases;
  private final LongSupplier clock;
  private long lastUseMillis;

  /** Up to which use nothing has to be noted; {@link Deadlines#NEVER} while it is in use. */
  private long notedUntil = NOT_NOTED;

  /**
   * Creates it for a queue that has not started.
   *
   * @param clock the time of the queue
   */
  NotedLease(Queue queue, QueueLeases leases, LongSupplier clock) {
    this.queue = queue;
    this.partition = queue.partition();
    this.leases = leases;
    this.clock = clock;
  }

  /**
   * The queue has started here: its lease goes on, if it is known when the queue was used last. To
   * be called before {@link #moved}.
   */
  void begin(MovableQueue machine, QueueSettings settings) {
    long period = settings.lease().expiresMillis();
    if (period > 0) {
      long mostUnused = period - Math.min(period, GRACE_MILLIS);
      long unused = Math.min(leases.unusedMillis(queue.id()), mostUnused);
      lastUseMillis = clock.getAsLong() - unused;
      machine.setLastUse(lastUseMillis);
      note(0);
    }
  }

  /**
   * The lease was renewed, or the queue is in use.
   *
   * @param useMillis when it was used last; {@link Deadlines#NEVER} while it is in use
   * @param periodMillis the period of the lease
   */
  void moved(long useMillis, long periodMillis) {
    // A queue that has moved here was used earlier than it has started.
    boolean isNoted =
        useMillis == Deadlines.NEVER
            ? notedUntil == Deadlines.NEVER
            : notedUntil != Deadlines.NEVER
                && useMillis <= notedUntil
                && useMillis >= lastUseMillis;
    lastUseMillis = useMillis;
    if (!isNoted) {
      note(Math.min(periodMillis / PARTS, LONGEST_UNNOTED_MILLIS));
    }
  }

  /** In use, or used until then without a further note. */
  private void note(long unnotedMillis) {
    if (lastUseMillis == Deadlines.NEVER) {
      notedUntil = Deadlines.NEVER;
      leases.inUse(queue.id());
    } else {
      notedUntil = lastUseMillis + unnotedMillis;
      leases.used(queue.id(), clock.getAsLong() - notedUntil, this::unusedMillis);
    }
    partition.store().beginBatch();
  }

  private long unusedMillis() {
    return clock.getAsLong() - lastUseMillis;
  }
}
