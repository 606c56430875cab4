package io.mayflymq.server.rate;

import io.mayflymq.core.policy.PaceSettings.Rate;
import io.mayflymq.core.queue.Pace;

/** How fast messages are published that share a rate, and what has passed. Any thread may call. */
final class PublishRate {
  /** Of what a rate lets pass in a second, a connection publishes so large a part at once. */
  private static final int PARTS = 20;

  private final Rate rate;
  private final Pace pace;

  PublishRate(Rate rate) {
    this.rate = rate;
    this.pace = Pace.of(rate, null, 0);
  }

  Rate rate() {
    return rate;
  }

  /** Lets messages pass as soon as they may, and returns when the last one does. */
  synchronized long passAt(long messages, long nowMillis) {
    long at = nowMillis;
    for (long i = 0; i < messages; i++) {
      at = pace.passAt(nowMillis);
    }
    return at;
  }

  /** Returns how many messages a connection publishes at once, 1 or more. */
  long mostAtOnce() {
    return Math.max(1, Math.min(rate.burst(), rate.perSecond() / PARTS));
  }
}
