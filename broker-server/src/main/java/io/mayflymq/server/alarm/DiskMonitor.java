package io.mayflymq.server.alarm;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises the disk alarm while less than {@code disk_free_limit} is free where the data is. Before
 * that, while less than twice as much is free, messages are let go that could be brought back.
 *
 * <p>As for {@link MemoryMonitor}, the alarm changes only when the state that is found here
 * changes. Used on the thread of the monitors only.
 */
final class DiskMonitor {
  private static final Logger LOGGER = LoggerFactory.getLogger(DiskMonitor.class);
  private static final long SHORTEST_DELAY_MILLIS = 100;
  private static final long LONGEST_DELAY_MILLIS = 10_000;

  /** The fastest that a disk is expected to fill, 1 GB/s, in bytes per millisecond. */
  private static final long FASTEST_FILLING = 1_000_000;

  /** So many times the limit has to be free, or space is made. */
  private static final int LOW = 2;

  /** What is let go takes some time to leave the disk: no more is let go until then, in ns. */
  private static final long RELIEF_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final FreeSpace space;
  private final LongSupplier nanoTime;
  private final Alarms alarms;
  private volatile long limit;
  private boolean below;
  private boolean unreadable;
  private volatile LongConsumer relief = bytes -> {};
  private long relievedNanos;
  private boolean relieved;
  private long delayMillis = SHORTEST_DELAY_MILLIS;

  /**
   * Creates a monitor; it does nothing until it is asked to check.
   *
   * @param nanoTime a clock that is never set, in ns
   * @param limit in bytes; 0 raises no alarm
   */
  DiskMonitor(FreeSpace space, LongSupplier nanoTime, Alarms alarms, long limit) {
    this.space = space;
    this.nanoTime = nanoTime;
    this.alarms = alarms;
    this.limit = limit;
  }

  /**
   * Sets what makes space before publishers are blocked.
   *
   * @param changed is told how many bytes are wanted; must not block
   */
  void setRelief(LongConsumer changed) {
    relief = changed;
  }

  /** Returns the limit in bytes; any thread may call. */
  long limit() {
    return limit;
  }

  /** Sets the limit in bytes, for the checks to come. */
  void setLimit(long bytes) {
    limit = bytes;
  }

  /** Returns how long the next check can wait, in milliseconds: the less is free, the shorter. */
  long delayMillis() {
    return delayMillis;
  }

  /**
   * Reads how much is free, and raises or clears the alarm if the limit was crossed. If it cannot
   * be read, the alarm stays as it is.
   */
  void check() {
    long free;
    try {
      free = space.freeBytes();
    } catch (IOException e) {
      if (!unreadable) {
        LOGGER.warn(
            "cannot read the free disk space, the disk alarm stays as it is: {}", e.toString());
      }
      unreadable = true;
      delayMillis = LONGEST_DELAY_MILLIS;
      return;
    }
    unreadable = false;
    long low = limit > Long.MAX_VALUE / LOW ? Long.MAX_VALUE : LOW * limit;
    relieve(free, low);
    long untilLow = (free - (free > low ? low : limit)) / FASTEST_FILLING;
    delayMillis = Math.max(SHORTEST_DELAY_MILLIS, Math.min(LONGEST_DELAY_MILLIS, untilLow));
    if (free < limit == below) {
      return;
    }
    below = !below;
    String found = "%d bytes free, disk_free_limit %d".formatted(free, limit);
    if (below) {
      alarms.raise(Alarm.Resource.DISK, found);
    } else {
      alarms.clear(Alarm.Resource.DISK, found);
    }
  }

  private void relieve(long free, long low) {
    long now = nanoTime.getAsLong();
    if (free < low && (!relieved || now - relievedNanos >= RELIEF_NANOS)) {
      relieved = true;
      relievedNanos = now;
      relief.accept(low - free);
    }
  }
}
