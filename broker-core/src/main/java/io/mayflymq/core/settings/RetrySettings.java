package io.mayflymq.core.settings;

import java.util.List;

/**
 * How long a returned message waits before its next delivery (retry delay).
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

  /** No retry delay. */
  public static final RetrySettings NONE =
      new RetrySettings(
          RetryType.DISABLED, QueueSettings.NONE, QueueSettings.NONE, Backoff.LINEAR, 0, List.of());
}
