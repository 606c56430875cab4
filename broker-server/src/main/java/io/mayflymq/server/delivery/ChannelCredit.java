package io.mayflymq.server.delivery;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many messages the consumers of a channel may have unacknowledged together: {@code basic.qos}
 * with {@code global=true}. Its consumers may be on queues of several shards, so this is the one
 * counter that threads share.
 */
public final class ChannelCredit {
  private final AtomicInteger used;
  private final Set<ConsumerOutlet> waiting = ConcurrentHashMap.newKeySet();
  private volatile int limit;

  /**
   * Creates the credit of a channel.
   *
   * @param used how many messages are unacknowledged now
   */
  public ChannelCredit(int used) {
    this.used = new AtomicInteger(used);
  }

  /** Sets the limit; 0 for none. On the connection's loop. */
  public void setLimit(int messages) {
    limit = messages;
    wakeAll();
  }

  /** The limit; 0 for none. Any thread may ask. */
  public int limit() {
    return limit;
  }

  /**
   * Takes one; if there is none, the outlet is woken when there may be. On the shard of the
   * outlet's queue.
   */
  boolean tryTake(ConsumerOutlet outlet) {
    if (take()) {
      return true;
    }
    waiting.add(outlet);
    // Between the two another may have been given back, whose giver did not see us wait.
    if (take()) {
      waiting.remove(outlet);
      return true;
    }
    return false;
  }

  private boolean take() {
    int most = limit;
    while (true) {
      int now = used.get();
      if (most > 0 && now >= most) {
        return false;
      }
      if (used.compareAndSet(now, now + 1)) {
        return true;
      }
    }
  }

  /** Gives some back, which were settled or not used after all. */
  public void giveBack(int count) {
    used.updateAndGet(now -> Math.max(0, now - count));
    wakeAll();
  }

  private void wakeAll() {
    List<ConsumerOutlet> woken = List.copyOf(waiting);
    waiting.removeAll(woken);
    woken.forEach(ConsumerOutlet::resume);
  }
}
