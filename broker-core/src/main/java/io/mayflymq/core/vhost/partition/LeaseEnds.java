package io.mayflymq.core.vhost.partition;

import io.mayflymq.core.runtime.Shard;
import java.util.ArrayDeque;

/**
 * Lets queues whose leases have ended go some at a time. Each is removed from its virtual host,
 * written down and taken apart; thousands at once would hold up the other queues of the shard.
 * Belongs to the shard.
 */
public final class LeaseEnds {
  /** So many queues are being removed at a time. */
  static final int MOST = 64;

  private final Shard shard;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(0);
  private int underWay;
  private boolean admits;

  LeaseEnds(Shard shard) {
    this.shard = shard;
  }

  /**
   * Asks whether a queue may go now; then {@link #over} has to be called.
   *
   * @param later asks again, if the queue is still to go: called when others have gone
   */
  public boolean begin(Runnable later) {
    if (underWay < MOST) {
      underWay++;
      return true;
    }
    waiting.addLast(later);
    return false;
  }

  /** A queue that was to go has gone, or stays. */
  public void over() {
    underWay--;
    admitLater();
  }

  private void admitLater() {
    if (!admits && !waiting.isEmpty()) {
      admits = true;
      shard.executeLater(this::admit);
    }
  }

  /** Some of those that wait may have been used meanwhile, and make no use of their turn. */
  private void admit() {
    admits = false;
    for (int i = 0; i < MOST && underWay < MOST && !waiting.isEmpty(); i++) {
      waiting.removeFirst().run();
    }
    if (underWay < MOST) {
      admitLater();
    }
  }
}
