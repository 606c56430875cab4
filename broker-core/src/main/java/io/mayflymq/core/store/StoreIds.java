package io.mayflymq.core.store;

/**
 * The ids under which the messages of queues are stored. Besides its messages a queue may have
 * scheduled messages, dead letters that no other queue has accepted yet, messages that have left it
 * and can be brought back, and notes of when its time stood still. The ids of those are computed
 * from the id of the queue, which is positive and less than 2<sup>40</sup>, so they need not be
 * stored.
 *
 * <p>What enters a replicated stream has an id of its own, too, so that each replica knows it from
 * the messages of queues.
 */
public final class StoreIds {
  private static final long DEAD_LETTERS = 1L << 40;
  private static final long STREAMS = 2L << 40;
  private static final long REMOVED = 3L << 40;
  private static final long STOPS = 4L << 40;

  private StoreIds() {}

  /**
   * Returns the id of a queue's scheduled messages. It is close to that of the queue, which keeps
   * indexes small.
   */
  public static long ofSchedule(long queueId) {
    return -queueId;
  }

  /** Returns the id of a queue's dead letters that wait for another queue to accept them. */
  public static long ofWaitingDeadLetters(long queueId) {
    return DEAD_LETTERS + queueId;
  }

  /** Returns the id of what has entered a replicated stream and is not in its files yet. */
  public static long ofStream(long queueId) {
    return STREAMS + queueId;
  }

  /**
   * Returns the id of the messages that have left a queue and can be brought back. They keep their
   * numbers.
   */
  public static long ofRemoved(long queueId) {
    return REMOVED + queueId;
  }

  /** Returns the id of what says when the time of a queue stood still. */
  public static long ofStops(long queueId) {
    return STOPS + queueId;
  }

  /** Whether an id is that of what has entered a replicated stream. */
  public static boolean isStream(long id) {
    return id >= STREAMS && id < REMOVED;
  }

  /** Whether an id is that of messages that have left a queue and can be brought back. */
  public static boolean isRemoved(long id) {
    return id >= REMOVED && id < STOPS;
  }

  /** Whether an id is that of what says when the time of a queue stood still. */
  public static boolean isStops(long id) {
    return id >= STOPS;
  }

  /** Whether an id is that of scheduled messages. */
  public static boolean isSchedule(long id) {
    return id < 0;
  }

  /** Whether an id is that of waiting dead letters. */
  public static boolean isWaitingDeadLetters(long id) {
    return id >= DEAD_LETTERS && id < STREAMS;
  }

  /** Whether an id is that of messages that are kept beside those of a queue or stream. */
  public static boolean isBeside(long id) {
    return isSchedule(id) || isWaitingDeadLetters(id) || isRemoved(id) || isStops(id);
  }

  /** Returns the queue that an id belongs to. */
  public static long queueOf(long id) {
    if (isStops(id)) {
      return id - STOPS;
    }
    if (isRemoved(id)) {
      return id - REMOVED;
    }
    if (isStream(id)) {
      return id - STREAMS;
    }
    return isWaitingDeadLetters(id) ? id - DEAD_LETTERS : Math.abs(id);
  }
}
