package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.List;

/**
 * The behaviour of a queue, which depends on its type: a pure state machine, which reads no clock
 * and starts no thread. Effects go out through {@link QueueEffects} and the consumers' {@link
 * io.mayflymq.core.queue.ConsumerTarget}s.
 *
 * <p>Every type of queue does this: those that give messages away, {@link ClassicQueueMachine}, and
 * streams. What streams do not do is only there.
 *
 * <p>Belongs to the queue's shard.
 */
public interface QueueMachine {
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

  // Settings

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

  // Consumers

  /** Returns whether a consumer may be added to the present ones. */
  boolean admits(boolean exclusive);

  /** Adds a consumer. */
  void subscribe(Consumer consumer, long nowMillis);

  /**
   * Lets a consumer have no more messages, as it is about to be cancelled with its channel. A
   * single active consumer stays the active one, so the next one gets what is put back until then
   * before later messages.
   */
  void stop(Consumer consumer);

  /**
   * Removes a consumer. The deliveries that it has not settled stay with its channel.
   *
   * @return whether it was the last consumer
   */
  boolean cancel(Consumer consumer, long nowMillis);

  /** Resumes deliveries to a consumer whose channel had no room for messages. */
  void resume(Consumer consumer, long nowMillis);

  /** Returns how many consumers there are. */
  int consumerCount();

  /** Returns the consumers, in the order in which they were added. */
  List<Consumer> consumers();

  /** Returns whether a consumer gets messages in its turn. */
  boolean isActive(Consumer consumer);

  // Settlements by consumers

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
   * Returns messages that never reached the client: they are as they were before, neither marked as
   * redelivered nor counted as returned. Parameters as in {@link #acknowledge}.
   */
  void release(Consumer consumer, long from, long to, long nowMillis);
}
