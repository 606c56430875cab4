package io.mayflymq.server.alarm;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises the disk alarm while less than {@code disk_free_limit} is free where the data is.
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

  private final FreeSpace space;
  private final Alarms alarms;
  private volatile long limit;
  private boolean below;
  private boolean unreadable;
  private long delayMillis = SHORTEST_DELAY_MILLIS;

  /**
   * Creates a monitor; it does nothing until it is asked to check.
   *
   * @param limit in bytes; 0 raises no alarm
   */
  DiskMonitor(FreeSpace space, Alarms alarms, long limit) {
    this.space = space;
    this.alarms = alarms;
    this.limit = limit;
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
    long untilLimit = (free - limit) / FASTEST_FILLING;
    delayMillis = Math.max(SHORTEST_DELAY_MILLIS, Math.min(LONGEST_DELAY_MILLIS, untilLimit));
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
}
