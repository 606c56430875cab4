package io.mayflymq.core.queue.index;

/**
 * When the time of a queue's TTLs stood still: intervals of the time of its partition, of which the
 * last one may not have ended. Immutable.
 *
 * <p>The time of a queue is that of its partition less all that was stopped before. It goes on
 * during none of the intervals. So a deadline in the time of the queue need not be changed when the
 * queue is stopped, or goes on: what a message has left stays what it is.
 */
public final class TimeStops {
  /** Time has always gone on. */
  public static final TimeStops NONE = new TimeStops(new long[0], new long[0]);

  /** The end of an interval that has not ended. */
  public static final long OPEN = Long.MAX_VALUE;

  private final long[] from;
  private final long[] to;

  /** How long time stood still before each of them, in ms. */
  private final long[] before;

  /** How long it stood still in all those that have ended, in ms. */
  private final long ended;

  /**
   * Creates it.
   *
   * @param from when they began, in ms since the epoch, in ascending order
   * @param to when they ended, none after the next one began; {@link #OPEN} for the last one if it
   *     has not
   */
  public TimeStops(long[] from, long[] to) {
    this.from = from;
    this.to = to;
    this.before = new long[from.length];
    long sum = 0;
    for (int i = 0; i < from.length; i++) {
      before[i] = sum;
      sum += to[i] == OPEN ? 0 : to[i] - from[i];
    }
    this.ended = sum;
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return from.length == 0;
  }

  /** Whether time stands still now. */
  public boolean isStopped() {
    return from.length > 0 && to[to.length - 1] == OPEN;
  }

  /** Returns how long time stood still in those that have ended, in ms. */
  long ended() {
    return ended;
  }

  /** Returns how long it stood still before a time of the partition, in ms. */
  long before(long millis) {
    int low = 0;
    int high = from.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (from[middle] < millis) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? 0 : before[low - 1] + Math.min(millis, to[low - 1]) - from[low - 1];
  }
}
