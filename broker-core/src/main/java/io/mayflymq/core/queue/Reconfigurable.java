package io.mayflymq.core.queue;

import io.mayflymq.core.policy.QueueSettings;

/** A queue whose settings may change while it has messages. Belongs to the queue's shard. */
public interface Reconfigurable {
  /** Returns the effective settings. */
  QueueSettings settings();

  /**
   * Applies new settings.
   *
   * @param changed the new settings; those that only arguments can set never change
   */
  void reconfigure(QueueSettings changed, long nowMillis);

  /** Returns what {@link #reconfigure} would do now; changes nothing. */
  PolicyImpact policyImpact(QueueSettings changed, long nowMillis);
}
