package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.store.Move;

/**
 * A queue as its shard sees it: all methods are called within a burst of the shard. Commands for a
 * deleted queue arrive for a moment longer, as routes and batches may be older; they do nothing.
 */
public interface ShardQueue {
  /**
   * Publishes a message.
   *
   * @return false if the queue refuses it; true also if the queue is deleted, since that is no
   *     refusal
   */
  default boolean publish(Message message) {
    return publish(message, null);
  }

  /**
   * Does the same for a message that enters the queue by a move.
   *
   * @param move a move of the queue's partition; null if the message arrives by itself
   */
  boolean publish(Message message, Move move);

  /** Keeps a message that is to be published at a time, in ms since the epoch. */
  default void schedule(Message message, long dueMillis) {
    schedule(message, null, dueMillis);
  }

  /** Does the same for a message that comes by a move; null if it arrives by itself. */
  void schedule(Message message, Move move, long dueMillis);

  /**
   * Returns whether a message that is published now waits for a time that it has in a header: it
   * does not count for the limit of the queue until then.
   */
  default boolean waitsForTime(Message message) {
    return false;
  }

  /** Returns whether {@link #publish} would refuse a message now. */
  boolean refuses(Message message);

  /** Returns whether the publisher of a message has to wait now, as the queue is full. */
  default boolean blocks(Message message) {
    return false;
  }

  /**
   * Returns whether a client may publish a message now: not if the queue {@link #blocks} it, or
   * others wait already and it does not {@link #waitsForTime} itself.
   */
  default boolean admits(Message message) {
    return true;
  }

  /**
   * Returns the publishers that wait for room in the queue.
   *
   * @throws IllegalStateException if the queue admits all
   */
  default PublisherLine line() {
    throw new IllegalStateException("no publisher waits");
  }

  /** Counts a message that was refused to a publisher who has waited, or does not wait. */
  default void refusedToClient() {}

  /** Acknowledges the messages of a consumer from one sequence number to another, both included. */
  void acknowledge(Consumer consumer, long from, long to);

  /** Rejects them: they die. */
  void reject(Consumer consumer, long from, long to, DropTrigger cause);

  /** Requeues them. */
  void requeue(Consumer consumer, long from, long to);

  /** Requeues them, as the consumer failed to process them. */
  void fail(Consumer consumer, long from, long to);

  /** Returns those that never reached the client: they are as they were before. */
  void release(Consumer consumer, long from, long to);

  /** Resumes deliveries to a consumer whose channel had no room. */
  void resume(Consumer consumer);

  /**
   * Returns when a message expires that was delivered and is not settled, in ms since the epoch;
   * {@link io.mayflymq.core.queue.index.Deadlines#NEVER} if it does not.
   */
  long deadline(long sequence);

  /**
   * Returns the offset at which a consumer of a stream begins if it joins now; -1 if the queue is
   * none.
   */
  long beginOf(Consumer consumer);

  /** Returns how long a publisher of very many messages should pause, in ms; 0 for no pause. */
  int pauseMillis();

  /**
   * Lets what a publisher has published count towards the queue's rate, and returns for how long
   * the publisher waits for that, in ms; 0 if it need not.
   */
  long waitOfPublisher();

  /** Returns whether the queue is deleted. */
  boolean isDeleted();

  /** Returns whether the queue is about to be deleted, or is deleted. */
  boolean isLeaving();

  /** Returns whether what {@link LockedMessages} have locked is still here. */
  boolean hasLocked();

  /** Applies the policies of this moment. */
  void applyPolicies();

  /** Returns what other settings would do now; null if the queue is deleted. */
  PolicyImpact policyImpact(QueueSettings changed);

  /** Frees memory that the queue keeps for its next message, if it is unused. */
  void trimMemory();

  /** Returns how many bytes its messages count here that can be brought back. */
  default long recoverableBytes() {
    return 0;
  }

  /**
   * Lets messages go that can be brought back, those first that have left first, slice by slice.
   *
   * @param bytes how many bytes are to become free
   */
  default void letRecoverableGo(long bytes) {
    // It has none here.
  }

  /** Returns what the queue has at this moment; null if it is deleted. */
  QueueContents contents();

  /** Returns its numbers at this moment; null if it is deleted. */
  QueueSizes sizes();

  // Dead letters that wait

  /** Returns whether dead letters of the queue wait for another queue to take them. */
  boolean hasWaitingDeadLetters();

  /**
   * Keeps a dead letter of the queue that no queue has taken. Parameters as in {@link #publish}.
   */
  void keepWaiting(Message deadLetter, Move move);

  /**
   * Opens one of the hidden queues beside this one, since its messages are being recovered.
   *
   * @param storeId its number in the store
   */
  void openHidden(long storeId);

  // Redrive

  /**
   * Returns what takes messages out of the queue to move them.
   *
   * @param method for the errors: 404 if the queue is deleted, 540 if it is a stream
   */
  MessageExtractor extractor(String method);

  // The copy that a standby keeps

  /**
   * Returns what reads messages of the queue; null if it has none of that kind, is a stream, or is
   * deleted.
   */
  MessageReader messageReader(MessagePart part);

  /**
   * Takes a message of a queue of another broker, which was copied from there. Parameters as in
   * {@link io.mayflymq.core.queue.ClassicQueueMachine#restore}.
   */
  void restore(Message message, long ownDeadlineMillis, long arrivedMillis, long returned);

  /** All that was copied is restored: its lease begins anew. */
  void restoreEnded();

  /** Notes what holds messages of the queue while it moves them. */
  void movedBy(LockedMessages move);
}
