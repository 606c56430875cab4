package io.mayflymq.core.queue;

import io.mayflymq.core.settings.Backoff;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.RetrySettings;
import io.mayflymq.core.settings.RetryType;
import java.util.List;

/**
 * Computes the retry delay of a returned message. Pure: the random part (jitter) follows from the
 * message, so the same commands give the same queue.
 *
 * <p>Source: RabbitMQ 4.3, "Quorum Queues", section "Delayed Retry", for the type and the linear
 * growth; the rest is this broker's own.
 */
record RetryDelay(RetrySettings settings) {
  private static final int PERCENT = 100;

  /** With a list of delays no minimum is needed; with type {@code disabled} no message waits. */
  private boolean isOn() {
    return settings.type() != RetryType.DISABLED
        && (!settings.delaysMillis().isEmpty() || settings.minMillis() != QueueSettings.NONE);
  }

  /** Whether a returned message waits. */
  boolean isFor(boolean failed) {
    return isOn()
        && switch (settings.type()) {
          case DISABLED -> false;
          case ALL -> true;
          case FAILED -> failed;
          case RETURNED -> !failed;
        };
  }

  /**
   * Returns the delay.
   *
   * @param returns how often the message has been returned, 1 or more
   * @param seed determines the jitter
   * @return 1 or more, in ms
   */
  long millis(int returns, long seed) {
    long delay = settings.delaysMillis().isEmpty() ? grown(returns) : listed(returns);
    return Math.max(1, jittered(delay, seed));
  }

  private long listed(int returns) {
    List<Long> delays = settings.delaysMillis();
    return delays.get(Math.min(returns, delays.size()) - 1);
  }

  private long grown(int returns) {
    long most = settings.maxMillis() == QueueSettings.NONE ? Long.MAX_VALUE : settings.maxMillis();
    long least = settings.minMillis();
    if (settings.backoff() == Backoff.EXPONENTIAL) {
      int doublings = returns - 1;
      return doublings >= Long.numberOfLeadingZeros(least) - 1
          ? most
          : Math.min(most, least << doublings);
    }
    return least > most / returns ? most : least * returns;
  }

  /** Varies a delay by up to the configured percentage, evenly distributed. */
  private long jittered(long delay, long seed) {
    if (settings.jitterPercent() == 0) {
      return delay;
    }
    double share = (mix(seed) >>> 11) * 0x1.0p-53; // 0 to 1, without 1
    double deviation = (2 * share - 1) * settings.jitterPercent() / PERCENT;
    return (long) Math.min(Long.MAX_VALUE, delay * (1 + deviation));
  }

  /** Spreads seeds that are close to each other: the finishing step of SplitMix64. */
  private static long mix(long seed) {
    long z = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
