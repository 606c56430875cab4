package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.queue.index.QueueTotals;

/**
 * The behaviour of a queue, which depends on its type: a pure state machine, which reads no clock
 * and starts no thread. Effects go out through {@link QueueEffects} and the consumers' {@link
 * io.mayflymq.core.queue.ConsumerTarget}s.
 *
 * <p>Every type of queue does this. What only some types do is in interfaces of their own, which a
 * caller asks for with {@code instanceof}: {@link MessageSource}, {@link LeasedQueue}, {@link
 * DeadLettering}, {@link MemoryBound}.
 *
 * <p>Belongs to the queue's shard.
 */
public interface QueueMachine extends Reconfigurable, Subscribable, Settleable {
  /**
   * Starts the queue, with the messages that the store has recovered meanwhile. To be called once,
   * before any other command.
   */
  void start(long nowMillis);

  /**
   * Publishes a message to the queue.
   *
   * @return false if the queue refuses it: the publisher gets {@code basic.nack}
   */
  boolean publish(Message message, long nowMillis);

  /** Returns whether {@link #publish} would refuse a message now. */
  boolean refuses(Message message, long nowMillis);

  /** Called at the time that was requested by {@link QueueEffects#wakeAt}. */
  void onTimer(long nowMillis);

  /**
   * Releases some of what a deleted queue holds, as much as may be released in one go. Only this
   * and {@link #dispose} may be called afterwards.
   *
   * @return whether there is more of that kind
   */
  default boolean disposeSome() {
    return false;
  }

  /** Releases what a deleted queue holds. No other method may be called afterwards. */
  void dispose();

  /** Returns how many messages are ready: the number that declare-ok reports. */
  long readyCount();

  /** Returns how many messages the queue has, ready and unacknowledged, and their body sizes. */
  QueueTotals totals();

  /**
   * Starts to browse the ready messages.
   *
   * @param position where to start: 0 is the message that would be delivered next
   */
  MessageBrowser browse(long position);

  /**
   * Returns the counters. Some of them are counted by the callers and the callees of this class.
   */
  Counters counters();
}
