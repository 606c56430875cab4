package io.mayflymq.shovel;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How far a shovel has got, over all of its connections. Written by its thread; any thread may
 * read.
 */
final class Progress {
  private final long endNanos;
  private final boolean ends;
  private final LongAdder forwarded = new LongAdder();
  private volatile long pending;

  /** Negative if it has no end. */
  private volatile long remaining = -1;

  private volatile String blocked = "";

  /**
   * @param millis how long the shovel runs; 0 for ever
   */
  Progress(long millis) {
    ends = millis > 0;
    endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  void moved(int count) {
    forwarded.add(count);
  }

  long forwarded() {
    return forwarded.sum();
  }

  void setPending(long count) {
    pending = count;
  }

  long pending() {
    return pending;
  }

  void setRemaining(long count) {
    remaining = count;
  }

  long remaining() {
    return remaining;
  }

  /** Returns what remains if it has begun already, or else a number to begin with. */
  long remainingOr(long atTheStart) {
    return remaining < 0 ? atTheStart : remaining;
  }

  void setBlocked(String reason) {
    blocked = reason;
  }

  String blocked() {
    return blocked;
  }

  /** Returns how many ms it may still run; a large number if it has no end. */
  long millisLeft() {
    return ends ? TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()) : Integer.MAX_VALUE;
  }
}
