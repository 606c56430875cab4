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
 * What a queue does with the commands that come to it, which depends on its type: a pure state
 * machine, which reads no clock and starts no thread. Effects go out through {@link QueueEffects}
 * and the consumers' outlets.
 *
 * <p>Belongs to the queue's shard.
 */
public interface QueueMachine {
  /**
   * Begins, with what the store has brought back meanwhile; to be called once, before any other
   * command.
   */
  void start(long nowMillis);

  /** What the queue lives by. */
  QueueSettings settings();

  /**
   * The queue lives by other settings from now on.
   *
   * @param changed the settings; what only arguments can set never changes
   */
  void reconfigure(QueueSettings changed, long nowMillis);

  /** What {@link #reconfigure} would do now; changes nothing. */
  PolicyImpact policyImpact(QueueSettings changed, long nowMillis);

  // Publishing

  /**
   * A message was routed here.
   *
   * @return false if the queue refuses it: the publisher gets {@code basic.nack}
   */
  boolean publish(Message message, long nowMillis);

  /** Whether {@link #publish} would refuse a message now. */
  boolean refuses(Message message, long nowMillis);

  // Consuming

  /** Whether a consumer may join beside those that are there. */
  boolean admits(boolean exclusive);

  /** A consumer joins. */
  void subscribe(Consumer consumer, long nowMillis);

  /**
   * A consumer leaves. What it has not settled stays its channel's to settle.
   *
   * @return whether it was the last one
   */
  boolean cancel(Consumer consumer, long nowMillis);

  /** A consumer whose outlet had no room can take messages again. */
  void resume(Consumer consumer, long nowMillis);

  /**
   * Takes the first message for {@code basic.get}.
   *
   * @param acknowledges whether it stays unacknowledged until settled
   * @return null if no message is ready
   * @throws UnsupportedOperationException if the type does not know that
   */
  GetResult fetch(boolean acknowledges, long nowMillis);

  /** The queue was used so; what it was made for tells it by itself. */
  void used(LeaseUse use, long nowMillis);

  /** Whether messages wait to be published to it later. */
  void holdsScheduled(boolean any, long nowMillis);

  /** So many of its dead letters wait for another queue to take them. */
  void deadLettersWait(long count, long bytes);

  /** Whether its lease has ended, so that it may go. */
  boolean leaseHasEnded(long nowMillis);

  /**
   * Has some of its messages die, ready or not, before it goes itself; to be called until there are
   * none.
   *
   * @param cause what its end comes from
   * @return whether there are none
   */
  boolean deadLetterAll(DropTrigger cause, long nowMillis);

  // Settling

  /**
   * Acknowledges messages.
   *
   * @param consumer whom they were delivered to
   * @param from the first sequence number
   * @param to the last one
   */
  void acknowledge(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Rejects messages. Other parameters as in {@link #acknowledge}.
   *
   * @param cause who or what rejects them
   */
  void reject(Consumer consumer, long from, long to, DropTrigger cause, long nowMillis);

  /** Puts messages back. Parameters as in {@link #acknowledge}. */
  void requeue(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Puts messages back that consumers could not deal with. Parameters as in {@link #acknowledge}.
   */
  void fail(Consumer consumer, long from, long to, long nowMillis);

  /**
   * What removes all messages that are ready.
   *
   * @throws UnsupportedOperationException if the type does not know that
   */
  Purge purge();

  // Time

  /** The time that was asked for by {@link QueueEffects#wakeAt} has come. */
  void onTimer(long nowMillis);

  /**
   * To be called now and then: a queue that was empty and not used since the last call gives back
   * the memory that it keeps for the next message.
   */
  void trimMemory();

  /** The queue is gone: gives back what it holds. Nothing else may be called afterwards. */
  void dispose();

  /**
   * How long a flood of messages should pause for consumers that take what they can and are behind
   * all the same, in ms; 0 if none has to.
   */
  int pauseMillis();

  // Views

  /** How many messages are ready: what declare-ok tells. */
  long readyCount();

  /** How many messages there are of either kind, and their sizes. */
  QueueTotals totals();

  /** The first ready message; null if none is ready or it would cost too much to look at now. */
  Message peekHead();

  /**
   * Begins to look at ready messages.
   *
   * @param position where: 0 is the message that would be served next
   */
  MessageBrowser browse(long position);

  /** Takes out single messages, wherever they stand; null if the type does not know that. */
  MessageExtractor messageExtractor();

  /** What happened so far; the rest is counted by who calls and whom it calls. */
  Counters counters();

  /** How many consumers there are. */
  int consumerCount();

  /** The consumers, in the order in which they came. */
  List<Consumer> consumers();

  /** Whether a consumer gets messages when it is its turn. */
  boolean isActive(Consumer consumer);
}
