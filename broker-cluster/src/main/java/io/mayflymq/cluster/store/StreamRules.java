package io.mayflymq.cluster.store;

import io.mayflymq.core.policy.QueueSettings;

/** What a replica has to know of the streams whose files it keeps. On the shard's thread. */
public interface StreamRules {
  /** Returns the settings of a stream; null if this node does not know it, or not yet. */
  QueueSettings settingsOf(long queueId);

  /** Returns whether a stream existed and does not exist any more. */
  boolean isDeleted(long queueId);
}
