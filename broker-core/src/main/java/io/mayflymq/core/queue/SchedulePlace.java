package io.mayflymq.core.queue;

import java.util.Comparator;

/**
 * A place in the order in which scheduled messages are published.
 *
 * @param dueMillis when the message at this place is due, in ms since the epoch
 * @param sequence its number: of messages that are due at the same time the lowest comes first
 */
public record SchedulePlace(long dueMillis, long sequence) implements Comparable<SchedulePlace> {
  /** Before all messages. */
  public static final SchedulePlace START = new SchedulePlace(Long.MIN_VALUE, -1);

  private static final Comparator<SchedulePlace> ORDER =
      Comparator.comparingLong(SchedulePlace::dueMillis).thenComparingLong(SchedulePlace::sequence);

  @Override
  public int compareTo(SchedulePlace other) {
    return ORDER.compare(this, other);
  }
}
