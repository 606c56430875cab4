package io.mayflymq.core.queue;

import io.mayflymq.core.policy.ExpirySettings;

/** When messages of the model are due. */
final class NaiveDeadline {
  private NaiveDeadline() {}

  static long of(long ttl, long now) {
    return ttl < 0 ? NaiveQueue.NEVER : ttl == 0 ? now : now + ttl + 1;
  }

  /** That of a message whose TTL counts from this time on, or nothing while time stands still. */
  static long of(ExpirySettings expiry, long own, long from, boolean stands) {
    long ttl = expiry.messageTtlMillis();
    long byTtl =
        ttl < 0 || stands ? NaiveQueue.NEVER : of(Math.max(ttl, expiry.floorMillis()), from);
    return switch (expiry.ttlMode()) {
      case MIN -> Math.min(own, byTtl);
      case MESSAGE_FIRST -> own == NaiveQueue.NEVER ? byTtl : own;
      case QUEUE_ONLY -> byTtl;
    };
  }
}
