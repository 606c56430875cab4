package io.mayflymq.core.runtime;

/**
 * The time of a partition, in ms since the epoch. Belongs to the shard's thread.
 *
 * <p>The queues of a partition go by its own time. It is the clock of this node, unless the
 * partition has replicas: then it is the time of the leader, and each next leader carries it on, as
 * clocks of nodes differ. A deadline that one leader has set means the same to the next one.
 *
 * <p>While it differs from the clock, the difference may change slowly. A timer that is set for a
 * late time fires before it, and is set again, so that it is not late by such changes.
 */
public final class PartitionTime {
  /** The longest time for which a timer is set while the difference may change. */
  private static final long LONGEST_SLEEP_MILLIS = 60_000;

  private final Shard shard;
  private long aheadMillis;

  /** Creates one that is the clock of the shard. */
  public PartitionTime(Shard shard) {
    this.shard = shard;
  }

  /** Returns the shard that does the work of the partition. Any thread may call. */
  public Shard shard() {
    return shard;
  }

  /** Returns what time it is in the present burst. */
  public long now() {
    return ofClock(shard.now());
  }

  /** Returns how far it is ahead of the clock of this node, in ms; negative if it is behind. */
  public long aheadMillis() {
    return aheadMillis;
  }

  /**
   * Returns how far it is ahead of the clock of the machine, in ms: {@link #aheadMillis}, and what
   * that clock was set back. On the shard's thread only.
   */
  public long aheadOfMachineMillis() {
    return shard.now() + aheadMillis - shard.toMachine(shard.now());
  }

  /** Sets how far it is ahead of the clock of this node, in ms. */
  public void setAhead(long millis) {
    aheadMillis = millis;
  }

  /** Sets {@link #aheadOfMachineMillis}. On the shard's thread only. */
  public void setAheadOfMachine(long millis) {
    setAhead(aheadMillis + millis - aheadOfMachineMillis());
  }

  /** Returns the time of the partition at a time by the clock of this node. */
  public long ofClock(long millis) {
    return millis + aheadMillis;
  }

  /** Returns the time by the clock of this node at a time of the partition. */
  public long toClock(long millis) {
    return millis == Long.MAX_VALUE ? millis : millis - aheadMillis;
  }

  /**
   * Returns the time by the clock of the machine at a time of the partition: {@link #toClock}, less
   * what that clock was set back. For what is shown. On the shard's thread only.
   */
  public long toMachine(long millis) {
    return shard.toMachine(toClock(millis));
  }

  /**
   * Has a timer fire at a time of the partition, or before it: then it has to be set again. What it
   * is called with is the time by the clock: {@link #now} is to be used instead.
   */
  public void schedule(Timer timer, long atMillis) {
    long at =
        aheadMillis == 0
            ? atMillis
            : Math.min(toClock(atMillis), shard.now() + LONGEST_SLEEP_MILLIS);
    shard.timers().schedule(timer, at);
  }
}
