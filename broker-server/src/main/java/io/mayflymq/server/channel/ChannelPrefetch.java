package io.mayflymq.server.channel;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many messages the consumers of a channel may have unacknowledged together: {@code basic.qos}
 * with {@code global=true}. Its consumers may be on queues of several shards, so several threads
 * use this counter.
 *
 * <p>Consumers without acknowledgements do not use it up, but wait like the others while it is used
 * up, as in RabbitMQ. Waiting consumers take turns, the one that has waited longest first, so that
 * no queue is starved.
 */
final class ChannelPrefetch {
  private final AtomicInteger used;
  private final Runnable wakeNext = this::wakeNext;
  private volatile int limit;

  /** The waiting consumers in order of arrival; guarded by itself. */
  private final Set<ChannelConsumerTarget> waiting = new LinkedHashSet<>();

  /**
   * Creates the prefetch limit of a channel.
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

  /** Returns the limit; 0 for none. Any thread may call. */
  public int limit() {
    return limit;
  }

  /**
   * Takes one unit of credit; if there is none, the consumer is woken when there may be. On the
   * shard of its queue.
   *
   * @param counts whether it uses one unit up; otherwise one only has to be available
   */
  boolean tryTake(ChannelConsumerTarget consumer, boolean counts) {
    if (take(counts)) {
      return true;
    }
    synchronized (waiting) {
      waiting.add(consumer);
    }
    // Credit may have been given back between the two steps, by a thread that did not see this
    // consumer wait.
    if (take(counts)) {
      synchronized (waiting) {
        waiting.remove(consumer);
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

  /** Gives credit back that was settled or not used. Any thread may call. */
  public void giveBack(int count) {
    used.updateAndGet(now -> Math.max(0, now - count));
    wakeNext();
  }

  /**
   * If there is credit, wakes the consumer that has waited longest, and after its turn the next.
   */
  private void wakeNext() {
    if (!isExhausted(used.get())) {
      ChannelConsumerTarget next = longestWaiting();
      if (next != null) {
        next.resumeThen(wakeNext);
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
