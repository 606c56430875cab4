package io.mayflymq.cluster.remote;

import io.mayflymq.core.runtime.Shard;

/** A clock that runs while a link has no leader that answers. On the link's shard. */
final class LeaderlessTime {
  private final Shard shard;
  private long before;
  private long since;
  private boolean runs = true;

  /** Begins to run. */
  LeaderlessTime(Shard shard) {
    this.shard = shard;
    this.since = shard.elapsedNanos();
  }

  /** Returns how long it has run in all, in ns. */
  long nanos() {
    return runs ? before + shard.elapsedNanos() - since : before;
  }

  void start() {
    if (!runs) {
      since = shard.elapsedNanos();
      runs = true;
    }
  }

  void stop() {
    before = nanos();
    runs = false;
  }
}
