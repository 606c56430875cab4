package io.mayflymq.server.alarm;

import io.mayflymq.server.memory.MemoryUse;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Raises the memory alarm while more memory is in use than the watermark.
 *
 * <p>The reading is that of the last garbage collection, which leaves two questions open, and both
 * have the same answer:
 *
 * <ul>
 *   <li>Is it too high because of garbage in the old generation? Then publishers would be blocked
 *       for nothing.
 *   <li>Does it stay too high because nothing is collected any more? Blocked publishers make no
 *       garbage, and consumers that empty the queues make little, so the alarm that they should end
 *       would never end.
 * </ul>
 *
 * <p>So a reading above the watermark is checked by a collection of the whole heap. As it stops the
 * whole process, at most a twentieth of the time is spent on it: the longer the last one took, the
 * later the next one starts. Until then a reading above the watermark changes nothing, unless the
 * last collection was one of the whole heap: the JVM makes one itself before the heap is full.
 *
 * <p>The alarm changes only when the state that is found here changes, so an alarm that was raised
 * or cleared manually stays until then. Used on the thread of the monitors only.
 */
final class MemoryMonitor {
  private static final int LEAST_TIMES_BETWEEN_COLLECTIONS = 20;

  private final MemoryUse memory;
  private final LongSupplier nanoTime;
  private final Alarms alarms;
  private volatile long watermark;
  private volatile BooleanSupplier relief = () -> false;
  private boolean above;
  private long mayCollectAt;

  /**
   * Creates a monitor; it does nothing until it is asked to check.
   *
   * @param nanoTime the time, as {@link System#nanoTime} tells it
   * @param watermark in bytes; 0 raises the alarm for good
   */
  MemoryMonitor(MemoryUse memory, LongSupplier nanoTime, Alarms alarms, long watermark) {
    this.memory = memory;
    this.nanoTime = nanoTime;
    this.alarms = alarms;
    this.watermark = watermark;
    this.mayCollectAt = nanoTime.getAsLong();
  }

  /** Returns the watermark in bytes; any thread may call. */
  long watermark() {
    return watermark;
  }

  /** Sets the watermark in bytes, for the checks to come. */
  void setWatermark(long bytes) {
    watermark = bytes;
  }

  /**
   * Sets what can free memory before an alarm is raised; it returns whether it does. The alarm
   * waits for another check then.
   */
  void setRelief(BooleanSupplier first) {
    relief = first;
  }

  /** Reads how much is in use, and raises or clears the alarm if the watermark was crossed. */
  void check() {
    long used = memory.usedBytes();
    if (used > watermark) {
      if (mayCollect()) {
        collect();
        used = memory.usedBytes();
      } else if (!memory.isOfWholeHeap()) {
        return;
      }
    }
    if (used > watermark == above || (!above && relief.getAsBoolean())) {
      return;
    }
    above = !above;
    String found = "%d bytes in use, vm_memory_high_watermark %d".formatted(used, watermark);
    if (above) {
      alarms.raise(Alarm.Resource.MEMORY, found);
    } else {
      alarms.clear(Alarm.Resource.MEMORY, found);
    }
  }

  private boolean mayCollect() {
    return nanoTime.getAsLong() - mayCollectAt >= 0;
  }

  private void collect() {
    long start = nanoTime.getAsLong();
    memory.collect();
    long end = nanoTime.getAsLong();
    mayCollectAt = end + LEAST_TIMES_BETWEEN_COLLECTIONS * (end - start);
  }
}
