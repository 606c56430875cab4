package io.mayflymq.core.vhost.queue.remote;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;

/**
 * A consumer here of a queue on another node. What arrives and its channel has no room for is held,
 * and no credit is given for it. On the shard of the queue.
 */
final class RemoteConsumer {
  /** What a message counts besides its content, in bytes; as on the home node. */
  private static final int BYTES_PER_MESSAGE = 64;

  private record Held(long sequence, Message message, boolean redelivered) {}

  private final long number;
  private final Queue queue;
  private final Consumer consumer;
  private final long window;
  private final ArrayDeque<Held> held = new ArrayDeque<>(0);
  private long taken;
  private long unsettled;
  private boolean joined;
  private boolean cancelled;
  private boolean left;

  RemoteConsumer(long number, Queue queue, Consumer consumer, long window) {
    this.number = number;
    this.queue = queue;
    this.consumer = consumer;
    this.window = window;
  }

  long number() {
    return number;
  }

  Queue queue() {
    return queue;
  }

  Consumer consumer() {
    return consumer;
  }

  long window() {
    return window;
  }

  /** It has joined the queue. */
  void setJoined() {
    joined = true;
  }

  /** Whether its client is to be told when it goes. */
  boolean isServed() {
    return joined && !cancelled;
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** It gets no more messages. */
  void setCancelled() {
    cancelled = true;
  }

  /** Its queue has let it go: nothing arrives for it any more. */
  void setLeft() {
    left = true;
  }

  /** Deliveries are settled. */
  void settled(long count) {
    unsettled -= count;
  }

  /** Whether nothing more is to come of it. */
  boolean isOver() {
    return left && unsettled <= 0;
  }

  /** A message has arrived. */
  void arrived(long sequence, Message message, boolean redelivered) {
    if (sequence >= 0) {
      unsettled++;
    }
    if (held.isEmpty() && consumer.outlet().reserve(consumer)) {
      deliver(sequence, message, redelivered);
    } else {
      held.add(new Held(sequence, message, redelivered));
    }
  }

  /** Its channel may have room again. */
  void resume() {
    while (!held.isEmpty() && !cancelled && consumer.outlet().reserve(consumer)) {
      Held next = held.poll();
      deliver(next.sequence(), next.message(), next.redelivered());
    }
  }

  private void deliver(long sequence, Message message, boolean redelivered) {
    taken += message.content().length + BYTES_PER_MESSAGE;
    consumer.outlet().deliver(consumer, sequence, message, redelivered);
  }

  /**
   * Returns the sequence number of a message that is held, which is held no longer; -1 for none.
   */
  long takeHeld() {
    Held next = held.poll();
    while (next != null && next.sequence() < 0) {
      next = held.poll();
    }
    return next == null ? -1 : next.sequence();
  }

  void dropHeld() {
    held.clear();
  }

  /** Returns how much credit is to be given back now; 0 for none yet. */
  long takeCredit() {
    if (taken < Math.max(window / 4, 1)) {
      return 0;
    }
    long credit = taken;
    taken = 0;
    return credit;
  }
}
