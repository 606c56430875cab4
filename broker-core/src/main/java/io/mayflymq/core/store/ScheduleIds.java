package io.mayflymq.core.store;

/**
 * The ids under which the scheduled messages of queues are kept. They follow from those of the
 * queues, which are positive, so that nobody has to remember them: as negative numbers they collide
 * with none, and are near to them in the differences that an index is made of.
 */
public final class ScheduleIds {
  private ScheduleIds() {}

  /** The id of what is scheduled for a queue. */
  public static long of(long queueId) {
    return -queueId;
  }

  /** Whether an id is that of what is scheduled for a queue. */
  public static boolean isSchedule(long id) {
    return id < 0;
  }

  /** The queue that an id belongs to: its own, or that of what is scheduled for it. */
  public static long queueOf(long id) {
    return Math.abs(id);
  }
}
