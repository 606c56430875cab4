package io.mayflymq.server.delivery;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many messages the consumers of a channel may have unacknowledged together: {@code basic.qos}
 * with {@code global=true}. Its consumers may be on queues of several shards, so this is the one
 * counter that threads share.
 *
 * <p>Consumers without acknowledgements use none up, but wait with the others while there is none,
 * as in RabbitMQ. They have their turns one after the other, the one that has waited longest first,
 * so that none of their queues is left behind.
 */
public final class ChannelPrefetch {
  private final AtomicInteger used;
  private volatile int limit;

  /** In the order in which they came; guarded by itself. */
  private final Set<ChannelConsumerTarget> waiting = new LinkedHashSet<>();

  /**
   * Creates the credit of a channel.
   *
   * @param used how many messages are unacknowledged now
   */
  public ChannelPrefetch(int used) {
    this.used = new AtomicInteger(used);
  }

  /** Sets the limit; 0 for none. On the connection's loop. */
  public void setLimit(int messages) {
    limit = messages;
    wakeNext();
  }

  /** The limit; 0 for none. Any thread may ask. */
  public int limit() {
    return limit;
  }

  /**
   * Takes one; if there is none, the outlet is woken when there may be. On the shard of the
   * outlet's queue.
   *
   * @param counts whether it uses one up; otherwise there only has to be one
   */
  boolean tryTake(ChannelConsumerTarget outlet, boolean counts) {
    if (take(counts)) {
      return true;
    }
    synchronized (waiting) {
      waiting.add(outlet);
    }
    // Between the two another may have been given back, whose giver did not see us wait.
    if (take(counts)) {
      synchronized (waiting) {
        waiting.remove(outlet);
      }
      return true;
    }
    return false;
  }

  private boolean take(boolean counts) {
    while (true) {
      int now = used.get();
      if (isExhausted(now)) {
        return false;
      }
      if (!counts || used.compareAndSet(now, now + 1)) {
        return true;
      }
    }
  }

  private boolean isExhausted(int taken) {
    int most = limit;
    return most > 0 && taken >= most;
  }

  /** Gives some back, which were settled or not used after all. Any thread may call. */
  public void giveBack(int count) {
    used.updateAndGet(now -> Math.max(0, now - count));
    wakeNext();
  }

  /**
   * If there is credit, the one that has waited longest has its turn, and calls this again after
   * it. Any thread may call.
   */
  void wakeNext() {
    if (!isExhausted(used.get())) {
      ChannelConsumerTarget next = longestWaiting();
      if (next != null) {
        next.resumeInTurn(this);
      }
    }
  }

  private ChannelConsumerTarget longestWaiting() {
    synchronized (waiting) {
      Iterator<ChannelConsumerTarget> inOrder = waiting.iterator();
      if (!inOrder.hasNext()) {
        return null;
      }
      ChannelConsumerTarget first = inOrder.next();
      inOrder.remove();
      return first;
    }
  }
}
