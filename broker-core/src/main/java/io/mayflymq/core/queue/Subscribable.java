package io.mayflymq.core.queue;

import java.util.List;

/** A queue that delivers messages to consumers. Belongs to the queue's shard. */
public interface Subscribable {
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
}
