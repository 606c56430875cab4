package io.mayflymq.shovel.transfer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How far a shovel or link has got, over all of its connections. Written by its thread; any thread
 * may read.
 */
public final class Progress {
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
  public Progress(long millis) {
    ends = millis > 0;
    endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  void moved(int count) {
    forwarded.add(count);
  }

  /** Returns how many messages were moved. */
  public long forwarded() {
    return forwarded.sum();
  }

  /** Notes how many messages are on their way. */
  public void setPending(long count) {
    pending = count;
  }

  /** Returns how many messages are on their way. */
  public long pending() {
    return pending;
  }

  /** Notes how many messages are still to be moved; negative if there is no end. */
  public void setRemaining(long count) {
    remaining = count;
  }

  /** Returns how many messages are still to be moved; negative if there is no end. */
  public long remaining() {
    return remaining;
  }

  /** Returns what remains if it has begun already, or else a number to begin with. */
  public long remainingOr(long atTheStart) {
    return remaining < 0 ? atTheStart : remaining;
  }

  /** Notes why the destination takes nothing for now; empty if it does. */
  public void setBlocked(String reason) {
    blocked = reason;
  }

  /** Returns why the destination takes nothing for now; empty if it does. */
  public String blocked() {
    return blocked;
  }

  /** Returns how many ms it may still run; a large number if it has no end. */
  public long millisLeft() {
    return ends ? TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()) : Integer.MAX_VALUE;
  }
}
