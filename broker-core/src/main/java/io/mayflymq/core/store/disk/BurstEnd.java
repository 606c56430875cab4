package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;

/**
 * Requests one call at the end of the present burst of a shard, however many parts of its store
 * want it.
 */
final class BurstEnd {
  private final Shard shard;
  private final EndOfBurstListener listener;
  private boolean requested;

  BurstEnd(Shard shard, EndOfBurstListener listener) {
    this.shard = shard;
    this.listener = listener;
  }

  /** Requests the call, unless it has been requested already. */
  void request() {
    if (!requested) {
      requested = true;
      shard.afterBurst(listener);
    }
  }

  /** Whether the call is still to come. */
  boolean isRequested() {
    return requested;
  }

  /** Called at the end of the burst. */
  void reached() {
    requested = false;
  }
}
