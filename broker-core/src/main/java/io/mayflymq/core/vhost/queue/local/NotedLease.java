package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.SharedLeases;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.function.LongSupplier;

/**
 * The lease of a queue of a replicated partition: it goes on when another node leads. Uses are
 * noted now and then; see {@link SharedLeases}. The timer makes the notes that were put off.
 * Belongs to the queue's shard.
 *
 * <p>A use that lasts may begin and end many times a second: each message that a client gets is
 * unacknowledged for a moment. So a note follows another one at once only if it is of the first
 * move after a while, and else after half of the time that needs no note. Until then the followers
 * believe what was noted: that the queue is in use, which makes the lease longer by so much at
 * most, or that it was used until a moment that is not over.
 */
final class NotedLease extends Timer {
  /** Uses within this part of a lease after one that was noted need no note. */
  private static final int PARTS = 20;

  /** They are noted after this time at the latest. */
  private static final long LONGEST_UNNOTED_MILLIS = 10_000;

  /** A lease that was to end while there was no leader ends so long after a leader is there. */
  private static final long GRACE_MILLIS = 2_000;

  private static final long NOT_NOTED = Long.MIN_VALUE;

  private final Queue queue;
  private final Partition partition;
  private final SharedLeases leases;
  private final LongSupplier clock;

  /** When it was used last; {@link Deadlines#NEVER} while it is in use. */
  private long lastUseMillis;

  /** The last use when that was noted. */
  private long notedFrom;

  /** Up to which use nothing has to be noted; {@link Deadlines#NEVER} if it was in use. */
  private long notedUntil = NOT_NOTED;

  /** How long a use needs no note after one that was noted. */
  private long unnotedMillis;

  /** Before then a note may be put off. */
  private long putOffUntil = NOT_NOTED;

  /**
   * Creates it for a queue that has not started.
   *
   * @param clock the time of the queue
   */
  NotedLease(Queue queue, SharedLeases leases, LongSupplier clock) {
    this.queue = queue;
    this.partition = queue.partition();
    this.leases = leases;
    this.clock = clock;
  }

  /**
   * The queue has started here: its lease goes on, if it is known when the queue was used last. To
   * be called before {@link #moved}.
   */
  void begin(ClassicQueueMachine machine, QueueSettings settings) {
    long period = settings.lease().expiresMillis();
    if (period > 0) {
      long mostUnused = period - Math.min(period, GRACE_MILLIS);
      long unused = Math.min(leases.unusedMillis(queue.id()), mostUnused);
      lastUseMillis = clock.getAsLong() - unused;
      machine.setLastUse(lastUseMillis);
      note();
    }
  }

  /**
   * The lease was renewed, or the queue is in use.
   *
   * @param useMillis when it was used last; {@link Deadlines#NEVER} while it is in use
   * @param periodMillis the period of the lease
   */
  void moved(long useMillis, long periodMillis) {
    lastUseMillis = useMillis;
    unnotedMillis = Math.min(periodMillis / PARTS, LONGEST_UNNOTED_MILLIS);
    look();
  }

  @Override
  protected void fire(long nowMillis) {
    look();
  }

  private void look() {
    if (isNoted()) {
      return;
    }
    long now = clock.getAsLong();
    if (now >= putOffUntil) {
      putOffUntil = now + unnotedMillis / 2;
      note();
    } else {
      if (lastUseMillis != Deadlines.NEVER) {
        leases.ended(queue.id(), this::unusedMillis);
      }
      if (!isScheduled()) {
        partition.time().schedule(this, putOffUntil);
      }
    }
  }

  private boolean isNoted() {
    // A queue that has moved here was used earlier than it has started.
    return lastUseMillis == Deadlines.NEVER
        ? notedUntil == Deadlines.NEVER
        : notedUntil != Deadlines.NEVER
            && lastUseMillis <= notedUntil
            && lastUseMillis >= notedFrom;
  }

  /** In use, or used until then without a further note. */
  private void note() {
    notedFrom = lastUseMillis;
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
    return lastUseMillis == Deadlines.NEVER ? 0 : clock.getAsLong() - lastUseMillis;
  }
}
