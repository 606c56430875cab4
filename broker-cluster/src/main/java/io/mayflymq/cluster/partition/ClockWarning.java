package io.mayflymq.cluster.partition;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns if the clock of this node differs from those of other nodes. Any thread may call. */
final class ClockWarning {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClockWarning.class);

  /** More than NTP leaves. */
  static final long TOLERANCE_MILLIS = 500;

  /** How long there is no other warning after one. */
  static final long QUIET_NANOS = 3_600_000_000_000L;

  private static final long NEVER = Long.MIN_VALUE;

  private final AtomicLong warnedAt = new AtomicLong(NEVER);

  /**
   * Compares the clock with the time of a partition.
   *
   * @param aheadMillis how far the time of the partition is ahead of the clock
   * @param nowNanos by a clock that only goes forward
   * @return whether it has warned
   */
  boolean check(int partition, long aheadMillis, long nowNanos) {
    long last = warnedAt.get();
    if (Math.abs(aheadMillis) <= TOLERANCE_MILLIS
        || (last != NEVER && nowNanos - last < QUIET_NANOS)
        || !warnedAt.compareAndSet(last, nowNanos)) {
      return false;
    }
    LOGGER.warn(
        "the clock of this node is {} ms {} the time of replicated partition {}, which is that of its"
            + " leaders: expected clocks that NTP keeps alike",
        Math.abs(aheadMillis),
        aheadMillis > 0 ? "behind" : "ahead of",
        partition);
    return true;
  }
}
