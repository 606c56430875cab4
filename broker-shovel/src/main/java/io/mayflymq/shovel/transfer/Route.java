package io.mayflymq.shovel.transfer;

import java.util.HashMap;
import java.util.Map;

/**
 * Where messages are taken from and published to.
 *
 * @param queue the queue that they are taken from
 * @param prefetch how many may be on their way
 * @param consumerTag of the consumer; empty for one that the broker generates
 * @param consumerArguments of the consumer
 * @param ready how many are to be moved: those that were in the queue, as far as they are not taken
 *     by others; {@link #NO_LIMIT} for all that ever come
 * @param untilEmpty whether it ends when the queue is empty, although it has not moved as many
 * @param exchange where they are published to; null for that of each message
 * @param key the routing key; null for that of each message
 * @param dropsUnroutable whether a message that no queue takes is taken for moved
 * @param ackMode when a message is acknowledged
 */
public record Route(
    String queue,
    int prefetch,
    String consumerTag,
    Map<String, Object> consumerArguments,
    long ready,
    boolean untilEmpty,
    String exchange,
    String key,
    boolean dropsUnroutable,
    AckMode ackMode) {

  /** As many messages as come. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  private static final String TIME_LEFT = "x-time-left";

  /**
   * Returns arguments of a consumer with which MayflyMQ sends messages with what they have left;
   * other brokers do not know them.
   */
  public static Map<String, Object> keepingTtl(Map<String, Object> consumerArguments) {
    Map<String, Object> arguments = new HashMap<>(consumerArguments);
    arguments.putIfAbsent(TIME_LEFT, true);
    return arguments;
  }
}
