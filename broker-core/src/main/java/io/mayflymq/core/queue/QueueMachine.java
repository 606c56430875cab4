package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.queue.browse.MessageBrowser;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.settings.LeaseUse;
import io.mayflymq.core.settings.QueueSettings;
import java.util.List;

/**
 * The behaviour of a queue, which depends on its type: a pure state machine, which reads no clock
 * and starts no thread. Effects go out through {@link QueueEffects} and the consumers' {@link
 * io.mayflymq.core.queue.consumer.ConsumerTarget}s.
 *
 * <p>Belongs to the queue's shard.
 */
public interface QueueMachine {
  /**
   * Starts the queue, with the messages that the store has recovered meanwhile. To be called once,
   * before any other command.
   */
  void start(long nowMillis);

  /** Returns the effective settings. */
  QueueSettings settings();

  /**
   * Applies new settings.
   *
   * @param changed the new settings; those that only arguments can set never change
   */
  void reconfigure(QueueSettings changed, long nowMillis);

  /** Returns what {@link #reconfigure} would do now; changes nothing. */
  PolicyImpact policyImpact(QueueSettings changed, long nowMillis);

  // Publishing

  /**
   * Publishes a message to the queue.
   *
   * @return false if the queue refuses it: the publisher gets {@code basic.nack}
   */
  boolean publish(Message message, long nowMillis);

  /** Returns whether {@link #publish} would refuse a message now. */
  boolean refuses(Message message, long nowMillis);

  // Consuming

  /** Returns whether a consumer may be added to the present ones. */
  boolean admits(boolean exclusive);

  /** Adds a consumer. */
  void subscribe(Consumer consumer, long nowMillis);

  /**
   * Removes a consumer. The deliveries that it has not settled stay with its channel.
   *
   * @return whether it was the last consumer
   */
  boolean cancel(Consumer consumer, long nowMillis);

  /** Resumes deliveries to a consumer whose channel had no room for messages. */
  void resume(Consumer consumer, long nowMillis);

  /**
   * Takes the first message for {@code basic.get}.
   *
   * @param acknowledges whether it stays unacknowledged until settled
   * @return null if no message is ready
   * @throws UnsupportedOperationException if this type of queue does not support {@code basic.get}
   */
  GetResult fetch(boolean acknowledges, long nowMillis);

  /** Records a use of the queue, for its lease. Uses that the queue itself sees need no call. */
  void used(LeaseUse use, long nowMillis);

  /** Sets whether scheduled messages wait to be published to the queue. */
  void holdsScheduled(boolean any, long nowMillis);

  /** Sets how many of the queue's dead letters wait for another queue to take them. */
  void deadLettersWait(long count, long bytes);

  /** Returns whether the lease has ended, so that the queue may be deleted. */
  boolean leaseHasEnded(long nowMillis);

  /**
   * Dead-letters some of the queue's messages, ready or unacknowledged, before the queue is
   * deleted; to be called until none is left.
   *
   * @param cause why the queue is deleted
   * @return whether no message is left
   */
  boolean deadLetterAll(DropTrigger cause, long nowMillis);

  // Settling

  /**
   * Acknowledges messages.
   *
   * @param consumer the consumer to which they were delivered
   * @param from the first sequence number
   * @param to the last sequence number
   */
  void acknowledge(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Rejects messages. Other parameters as in {@link #acknowledge}.
   *
   * @param cause what rejects them
   */
  void reject(Consumer consumer, long from, long to, DropTrigger cause, long nowMillis);

  /** Requeues messages. Parameters as in {@link #acknowledge}. */
  void requeue(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Requeues messages that the consumer failed to process. Parameters as in {@link #acknowledge}.
   */
  void fail(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Returns an operation that removes all ready messages.
   *
   * @throws UnsupportedOperationException if this type of queue does not support it
   */
  Purge purge();

  // Time

  /** Called at the time that was requested by {@link QueueEffects#wakeAt}. */
  void onTimer(long nowMillis);

  /**
   * Periodic maintenance: a queue that is empty and was not used since the last call frees the
   * memory that it keeps for the next message.
   */
  void trimMemory();

  /** Releases what a deleted queue holds. No other method may be called afterwards. */
  void dispose();

  /**
   * Returns how long a publisher of very many messages should pause, in ms, if consumers that have
   * room are nevertheless behind; 0 if no pause is needed.
   */
  int pauseMillis();

  // Views

  /** Returns how many messages are ready: the number that declare-ok reports. */
  long readyCount();

  /** Returns how many messages the queue has, ready and unacknowledged, and their body sizes. */
  QueueTotals totals();

  /**
   * Returns the first ready message; null if there is none or if reading it would cost too much.
   */
  Message peekHead();

  /**
   * Starts to browse the ready messages.
   *
   * @param position where to start: 0 is the message that would be delivered next
   */
  MessageBrowser browse(long position);

  /**
   * Returns what takes single messages out of the queue; null if this type does not support that.
   */
  MessageExtractor messageExtractor();

  /**
   * Returns the counters. Some of them are counted by the callers and the callees of this class.
   */
  Counters counters();

  /** Returns how many consumers there are. */
  int consumerCount();

  /** Returns the consumers, in the order in which they were added. */
  List<Consumer> consumers();

  /** Returns whether a consumer gets messages in its turn. */
  boolean isActive(Consumer consumer);
}
