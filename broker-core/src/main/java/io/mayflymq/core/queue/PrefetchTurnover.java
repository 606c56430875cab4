package io.mayflymq.core.queue;

/**
 * How long consumers keep a message until they settle it, measured at one delivery after the other.
 *
 * <p>In a quorum queue a publish and a delivery each wait until they are committed. A publisher
 * with a confirm window of 1,000 messages then brings twice as many as a consumer with a prefetch
 * limit of 500 can take in the same time, and the backlog grows though the consumer is not slow. So
 * publishers of very many messages have to pause until the consumers are through what is ready. The
 * pause follows from Little's law: {@code unsettled / turnover} is the rate at which they settle.
 *
 * <p>Consumers that settle slowly by themselves are not waited for. Those that mostly wait for
 * commits are, however long these take: on a busy machine a commit takes as long as a slow client
 * would, but a publisher waits for fewer of them. Belongs to the queue's shard.
 */
final class PrefetchTurnover {
  /** Consumers that settle fewer messages a millisecond are slow themselves. */
  private static final long FEWEST_PER_MILLI = 1;

  /** Consumers that keep a message for more times as long as a commit takes are slow themselves. */
  private static final long MOST_COMMITS = 5;

  /** For how many turns publishers pause at most if commits take long. */
  private static final long MOST_TURNS = 4;

  private static final long LONGEST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_FOR_COMMITS_MILLIS = 1_000;

  private static final long NONE = -1;

  /** The delivery that is measured. */
  private long sequence = NONE;

  private long deliveredAt;

  /** Of the last one that was settled, in ms; at least 1. */
  private long millis = 1;

  void delivered(long delivered, long nowMillis) {
    if (sequence == NONE) {
      sequence = delivered;
      deliveredAt = nowMillis;
    }
  }

  void settled(long from, long to, long nowMillis) {
    if (from <= sequence && sequence <= to) {
      millis = Math.max(1, nowMillis - deliveredAt);
      sequence = NONE;
    }
  }

  /**
   * Returns how long the consumers need for what is ready, as far as publishers should wait for it;
   * 0 if they have no more than they take in one turn, or are slow.
   *
   * @param ready how many messages are ready
   * @param unsettled how many are with consumers
   * @param commitMillis how long a commit takes
   */
  long millisFor(long ready, long unsettled, long commitMillis, long nowMillis) {
    if (ready <= unsettled || unsettled == 0) {
      return 0;
    }
    long turnover = sequence == NONE ? millis : Math.max(millis, nowMillis - deliveredAt);
    long needed = turnover * ready / unsettled;
    if (turnover <= MOST_COMMITS * commitMillis) {
      long longest = Math.min(LONGEST_PAUSE_FOR_COMMITS_MILLIS, MOST_TURNS * turnover);
      return Math.min(needed, Math.max(LONGEST_PAUSE_MILLIS, longest));
    }
    return unsettled < turnover * FEWEST_PER_MILLI ? 0 : Math.min(needed, LONGEST_PAUSE_MILLIS);
  }
}
