package io.mayflymq.core.vhost.deadletter;

/** So many messages per second, evenly: at most what a tenth of a second allows at once. */
final class RateLimiter {
  private static final double MILLIS_PER_SECOND = 1000;
  private static final double BURST_SECONDS = 0.1;

  private final long rate;
  private double tokens = 1;
  private long lastMillis;

  /**
   * Begins with one message.
   *
   * @param rate messages per second; 0 for no limit
   */
  RateLimiter(long rate, long nowMillis) {
    this.rate = rate;
    this.lastMillis = nowMillis;
  }

  /** When the next message may go: now, or a time to come. */
  long readyAt(long nowMillis) {
    if (rate == 0) {
      return nowMillis;
    }
    double most = Math.max(1, rate * BURST_SECONDS);
    tokens =
        Math.min(most, tokens + rate * Math.max(0, nowMillis - lastMillis) / MILLIS_PER_SECOND);
    lastMillis = nowMillis;
    return tokens >= 1
        ? nowMillis
        : nowMillis + (long) Math.ceil((1 - tokens) * MILLIS_PER_SECOND / rate);
  }

  /** A message goes. */
  void take() {
    if (rate != 0) {
      tokens--;
    }
  }
}
