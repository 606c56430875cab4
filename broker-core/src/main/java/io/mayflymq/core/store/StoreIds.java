package io.mayflymq.core.store;

/**
 * The ids under which the messages of queues are kept. Beside its messages a queue may have some
 * that are scheduled for it, and dead letters that no other queue has taken yet. The ids of those
 * follow from that of the queue, which is positive and less than 2<sup>40</sup>, so that nobody has
 * to remember them.
 */
public final class StoreIds {
  private static final long DEAD_LETTERS = 1L << 40;

  private StoreIds() {}

  /** The id of what is scheduled for a queue: near to that of the queue, where indexes count. */
  public static long ofSchedule(long queueId) {
    return -queueId;
  }

  /** The id of the dead letters of a queue that wait for another one to take them. */
  public static long ofWaitingDeadLetters(long queueId) {
    return DEAD_LETTERS + queueId;
  }

  /** Whether an id is that of what is scheduled for a queue. */
  public static boolean isSchedule(long id) {
    return id < 0;
  }

  /** Whether an id is that of dead letters of a queue that wait. */
  public static boolean isWaitingDeadLetters(long id) {
    return id >= DEAD_LETTERS;
  }

  /** Whether an id is that of something beside the messages of a queue. */
  public static boolean isBeside(long id) {
    return isSchedule(id) || isWaitingDeadLetters(id);
  }

  /** The queue that an id belongs to. */
  public static long queueOf(long id) {
    return isWaitingDeadLetters(id) ? id - DEAD_LETTERS : Math.abs(id);
  }
}
