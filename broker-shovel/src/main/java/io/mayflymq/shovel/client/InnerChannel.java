package io.mayflymq.shovel.client;

import io.mayflymq.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A channel of a connection to this broker, as a part of the broker uses it: its deliveries,
 * publishes and settlements pass within the process, as objects, and count as the client's own. All
 * else, such as declarations, errors and the end, goes through the connection. Any thread may call.
 */
public interface InnerChannel {
  /**
   * A message that a consumer of the channel has got.
   *
   * @param tag its delivery tag
   */
  record Delivery(long tag, Message message) {}

  /** What happens in the channel. Called on the loop of the connection, so it must not wait. */
  interface Receiver {
    /** Messages have come, in order. */
    void delivered(List<Delivery> messages);

    /**
     * The broker says of what was published whether it has taken it.
     *
     * @param number of a message: the first one after the channel was set to confirms has 1
     * @param multiple whether it is said of all before it too
     */
    void settled(long number, boolean multiple, boolean taken);

    /**
     * No queue takes a message, as it was given to be published; it will be confirmed all the same.
     */
    void returned(Message message);
  }

  /**
   * Has what comes from the channel go to a receiver.
   *
   * @return completed when it does
   */
  CompletableFuture<Void> receive(Receiver receiver);

  /**
   * Publishes messages in order, each as it is; the keys of its {@code CC} header have had their
   * effect, and go into {@code x-original-cc}.
   *
   * @param exchange null for that of each message
   * @param routingKey null for that of each message
   * @param mandatory whether those that no queue takes are returned
   */
  void publish(List<Message> messages, String exchange, String routingKey, boolean mandatory);

  /** Acknowledges all deliveries up to a tag. */
  void acknowledge(long tag);

  /** Puts a delivery back into its queue. */
  void putBack(long tag);

  /**
   * Waits for what was asked so far: what goes through the connection may be handled before it.
   *
   * @return completed when all of it is handled; never if the connection has ended before
   */
  CompletableFuture<Void> handled();
}
