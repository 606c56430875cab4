package io.mayflymq.server.channel;

import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.IdentityHashMap;

/**
 * Tells queues how many locks of their deliveries were renewed, once at the end of a burst. Used on
 * the connection's loop only.
 */
final class RenewalCounts implements EndOfBurstListener {
  private final Shard home;
  private final IdentityHashMap<Queue, Integer> counts = new IdentityHashMap<>(0);

  RenewalCounts(Shard home) {
    this.home = home;
  }

  void add(Queue queue) {
    if (counts.isEmpty()) {
      home.atEndOfBurst(this);
    }
    counts.merge(queue, 1, Integer::sum);
  }

  @Override
  public void endOfBurst() {
    counts.forEach((queue, count) -> queue.requests().locksRenewed(count));
    counts.clear();
  }
}
