package io.mayflymq.cluster.store;

import io.mayflymq.core.policy.QueueSettings;

/** A node that knows nothing of streams. */
final class NoStreams implements StreamRules {
  @Override
  public QueueSettings settingsOf(long queueId) {
    return null;
  }

  @Override
  public boolean isDeleted(long queueId) {
    return false;
  }
}
