package io.mayflymq.core.policy;

import io.mayflymq.core.message.DeliveryCount;
import java.util.List;

/**
 * How long a returned message waits before its next delivery (retry delay). The random part
 * (jitter) follows from the message, so the same commands give the same queue.
 *
 * <p>Source: RabbitMQ 4.3, "Quorum Queues", section "Delayed Retry", for the type and the linear
 * growth; the rest is this broker's own.
 *
 * @param type after which returns it waits
 * @param minMillis how long after the first return, 1 or more, or {@link QueueSettings#NONE}
 * @param maxMillis the longest wait, 1 or more, or NONE
 * @param backoff how the delay grows
 * @param jitterPercent by how much the delay varies randomly, 0 to 100
 * @param delaysMillis the delay after each return, instead of the other rules; the last one counts
 *     for all further returns. Empty for none
 */
public record RetrySettings(
    RetryType type,
    long minMillis,
    long maxMillis,
    Backoff backoff,
    int jitterPercent,
    List<Long> delaysMillis) {

  private static final int PERCENT = 100;

  /** No retry delay. */
  public static final RetrySettings NONE =
      new RetrySettings(
          RetryType.DISABLED, QueueSettings.NONE, QueueSettings.NONE, Backoff.LINEAR, 0, List.of());

  static RetrySettings of(QueueValues values) {
    RetryType type = values.word(PolicyKey.DELAYED_RETRY_TYPE, RetryType.class);
    if (type == RetryType.DISABLED) {
      return NONE;
    }
    List<String> delays = values.words(PolicyKey.DELAYED_RETRY_DELAYS);
    return new RetrySettings(
        type,
        values.number(PolicyKey.DELAYED_RETRY_MIN),
        values.number(PolicyKey.DELAYED_RETRY_MAX),
        values.word(PolicyKey.DELAYED_RETRY_BACKOFF, Backoff.class),
        (int) values.number(PolicyKey.DELAYED_RETRY_JITTER),
        delays == null ? List.of() : delays.stream().map(Long::valueOf).toList());
  }

  /** With a list of delays no minimum is needed; with type {@code disabled} no message waits. */
  private boolean isOn() {
    return type != RetryType.DISABLED
        && (!delaysMillis.isEmpty() || minMillis != QueueSettings.NONE);
  }

  /** Whether a returned message waits. */
  public boolean appliesTo(boolean failed) {
    return isOn()
        && switch (type) {
          case DISABLED -> false;
          case ALL -> true;
          case FAILED -> failed;
          case RETURNED -> !failed;
        };
  }

  /**
   * Returns the delay.
   *
   * @param count how often the message has been returned, as {@link DeliveryCount} packs it. As in
   *     RabbitMQ, linear growth follows the failed deliveries; all else follows each return
   * @param seed determines the jitter
   * @return 1 or more, in ms
   */
  public long delayMillis(long count, long seed) {
    boolean asInRabbit = delaysMillis.isEmpty() && backoff == Backoff.LINEAR;
    int returns =
        asInRabbit ? Math.max(1, DeliveryCount.failed(count)) : DeliveryCount.acquired(count);
    long delay = delaysMillis.isEmpty() ? grown(returns) : listed(returns);
    return Math.max(1, jittered(delay, seed));
  }

  private long listed(int returns) {
    return delaysMillis.get(Math.min(returns, delaysMillis.size()) - 1);
  }

  private long grown(int returns) {
    long most = maxMillis == QueueSettings.NONE ? Long.MAX_VALUE : maxMillis;
    if (backoff == Backoff.EXPONENTIAL) {
      int doublings = returns - 1;
      return doublings >= Long.numberOfLeadingZeros(minMillis) - 1
          ? most
          : Math.min(most, minMillis << doublings);
    }
    return minMillis > most / returns ? most : minMillis * returns;
  }

  /** Varies a delay by up to the configured percentage, evenly distributed. */
  private long jittered(long delay, long seed) {
    if (jitterPercent == 0) {
      return delay;
    }
    double share = (mix(seed) >>> 11) * 0x1.0p-53; // 0 to 1, without 1
    double deviation = (2 * share - 1) * jitterPercent / PERCENT;
    return (long) Math.min(Long.MAX_VALUE, delay * (1 + deviation));
  }

  /** Spreads seeds that are close to each other: the finishing step of SplitMix64. */
  private static long mix(long seed) {
    long z = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
