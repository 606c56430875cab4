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
 * <p>Consumers that settle slowly are not waited for. Belongs to the queue's shard.
 */
final class PrefetchTurnover {
  /** Consumers that settle fewer messages a millisecond are slow themselves. */
  private static final long FEWEST_PER_MILLI = 1;

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
   * Returns how long the consumers need for what is ready; 0 if they have no more than they take in
   * one turn, or are slow.
   *
   * @param ready how many messages are ready
   * @param unsettled how many are with consumers
   */
  long millisFor(long ready, long unsettled, long nowMillis) {
    long turnover = sequence == NONE ? millis : Math.max(millis, nowMillis - deliveredAt);
    return ready <= unsettled || unsettled < turnover * FEWEST_PER_MILLI
        ? 0
        : turnover * ready / unsettled;
  }
}
