package io.mayflymq.core.settings;

import java.util.List;

/**
 * How long a returned message waits before its next delivery.
 *
 * @param type after which returns it waits
 * @param minMillis how long after the first return, 1 or more, or {@link QueueSettings#NONE}
 * @param maxMillis how long at most, 1 or more, or NONE
 * @param backoff how the wait grows
 * @param jitterPercent how much shorter or longer it may be by chance, 0 to 100
 * @param delaysMillis how long after each return, in place of the other rules; the last one counts
 *     for all that follow. Empty for none
 */
public record RetrySettings(
    RetryType type,
    long minMillis,
    long maxMillis,
    Backoff backoff,
    int jitterPercent,
    List<Long> delaysMillis) {

  /** No waiting. */
  public static final RetrySettings NONE =
      new RetrySettings(
          RetryType.DISABLED, QueueSettings.NONE, QueueSettings.NONE, Backoff.LINEAR, 0, List.of());
}
