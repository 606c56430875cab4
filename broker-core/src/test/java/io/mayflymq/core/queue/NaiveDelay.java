package io.mayflymq.core.queue;

import io.mayflymq.core.policy.Backoff;
import io.mayflymq.core.policy.RetrySettings;

/** How long returned messages wait, as the documentation says it; for small numbers. */
final class NaiveDelay {
  private NaiveDelay() {}

  static boolean waits(RetrySettings retry, boolean failed) {
    return switch (retry.type()) {
      case DISABLED -> false;
      case ALL -> true;
      case FAILED -> failed;
      case RETURNED -> !failed;
    };
  }

  static long millis(RetrySettings retry, int returns, int failures) {
    if (!retry.delaysMillis().isEmpty()) {
      return retry.delaysMillis().get(Math.min(returns, retry.delaysMillis().size()) - 1);
    }
    long delay =
        retry.backoff() == Backoff.LINEAR
            ? retry.minMillis() * Math.max(1, failures)
            : retry.minMillis() << (returns - 1);
    return retry.maxMillis() < 0 ? delay : Math.min(delay, retry.maxMillis());
  }
}
