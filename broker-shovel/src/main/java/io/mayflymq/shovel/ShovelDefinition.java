package io.mayflymq.shovel;

import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.transfer.AckMode;
import io.mayflymq.shovel.transfer.Route;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a shovel does, as its parameter says. Its text has no passwords.
 *
 * @param source where it takes messages from
 * @param destination where it publishes them
 * @param ackMode when a message is acknowledged at the source
 * @param reconnectDelayMillis how long it waits before it tries again; 0: it does not
 */
record ShovelDefinition(
    Source source, Destination destination, AckMode ackMode, long reconnectDelayMillis) {

  /** Returns the virtual hosts of this broker that it uses, each once. */
  List<String> localVhosts() {
    return Stream.concat(source.uris.stream(), destination.uris.stream())
        .filter(BrokerUri::isLocal)
        .map(BrokerUri::vhost)
        .distinct()
        .toList();
  }

  /**
   * Returns the way of messages.
   *
   * @param queue that they are taken from
   * @param ready how many are in it
   */
  Route route(String queue, long ready) {
    boolean toQueue = destination.queue != null;
    return new Route(
        queue,
        source.prefetch,
        source.consumerTag,
        destination.keepsTtl
            ? Route.keepingTtl(source.consumerArguments)
            : source.consumerArguments,
        source.deleteAfter == QUEUE_LENGTH
            ? ready
            : source.deleteAfter == NEVER ? Route.NO_LIMIT : source.deleteAfter,
        source.deleteAfter == QUEUE_LENGTH,
        toQueue ? "" : destination.exchange,
        toQueue ? destination.queue : destination.exchangeKey,
        destination.dropsUnroutable,
        ackMode);
  }

  /** Says of a source that it never ends. */
  static final long NEVER = -1;

  /** Says of a source that it ends with what is in the queue at the start. */
  static final long QUEUE_LENGTH = -2;

  /**
   * Where messages come from.
   *
   * @param protocol as the parameter names it
   * @param uris the brokers, of which one is used
   * @param queue the queue; null if it is an exchange
   * @param exchange the exchange; null if it is a queue
   * @param exchangeKey the key that the queue of the shovel is bound to the exchange with; null for
   *     the pattern of all keys
   * @param queueArguments of a queue that is not there
   * @param predeclared whether the queue has to be there
   * @param prefetch how many messages may be on their way
   * @param deleteAfter after how many messages the shovel ends, {@link #NEVER} or {@link
   *     #QUEUE_LENGTH}
   * @param deleteAfterMillis how long it runs; 0 for ever
   * @param consumerArguments of its consumer
   * @param consumerTag of its consumer; empty for one that the broker generates
   */
  record Source(
      String protocol,
      List<BrokerUri> uris,
      String queue,
      String exchange,
      String exchangeKey,
      Map<String, Object> queueArguments,
      boolean predeclared,
      int prefetch,
      long deleteAfter,
      long deleteAfterMillis,
      Map<String, Object> consumerArguments,
      String consumerTag) {}

  /**
   * Where messages go.
   *
   * @param protocol as the parameter names it
   * @param uris the brokers, of which one is used
   * @param queue the queue; null if it is an exchange
   * @param queueArguments of a queue that is not there
   * @param exchange the exchange; null if it is a queue, or that of each message
   * @param exchangeKey the routing key; null for that of each message
   * @param predeclared whether the queue has to be there
   * @param dropsUnroutable whether a message that no queue takes is taken for moved
   * @param keepsTtl whether a message lives no longer than it would have at the source
   * @param forwardHeaders whether a header tells of the shovel
   * @param timestampHeader whether a header has the time
   * @param properties replace those of each message
   */
  record Destination(
      String protocol,
      List<BrokerUri> uris,
      String queue,
      Map<String, Object> queueArguments,
      String exchange,
      String exchangeKey,
      boolean predeclared,
      boolean dropsUnroutable,
      boolean keepsTtl,
      boolean forwardHeaders,
      boolean timestampHeader,
      Map<String, Object> properties) {}
}
