package io.mayflymq.it.differential;

import java.util.Map;

/**
 * A step of a program. Channels, queues and exchanges are named by what both brokers call them, so
 * a step means the same to each.
 */
sealed interface Step {
  record DeclareQueue(
      int channel,
      String queue,
      boolean durable,
      boolean exclusive,
      boolean autoDelete,
      Map<String, Object> arguments)
      implements Step {}

  record DeclareQueuePassively(int channel, String queue) implements Step {}

  record DeleteQueue(int channel, String queue, boolean ifUnused, boolean ifEmpty)
      implements Step {}

  record Purge(int channel, String queue) implements Step {}

  record DeclareExchange(
      int channel,
      String exchange,
      String type,
      boolean durable,
      boolean autoDelete,
      Map<String, Object> arguments)
      implements Step {}

  record DeleteExchange(int channel, String exchange, boolean ifUnused) implements Step {}

  record Bind(int channel, String queue, String exchange, String key, Map<String, Object> arguments)
      implements Step {}

  record Unbind(
      int channel, String queue, String exchange, String key, Map<String, Object> arguments)
      implements Step {}

  record BindExchange(int channel, String destination, String source, String key) implements Step {}

  record UnbindExchange(int channel, String destination, String source, String key)
      implements Step {}

  /**
   * A publish, whose body is its number.
   *
   * @param size the length of the body in bytes
   */
  record Publish(
      int channel,
      String exchange,
      String key,
      int number,
      int size,
      boolean mandatory,
      Integer priority,
      Map<String, Object> headers)
      implements Step {}

  record Qos(int channel, int prefetch) implements Step {}

  record Consume(int channel, String queue, String tag, boolean autoAck, boolean exclusive)
      implements Step {}

  record Cancel(int channel, String tag) implements Step {}

  record Get(int channel, String queue, boolean autoAck) implements Step {}

  /**
   * Settles a delivery.
   *
   * @param which the how manieth of those that the channel has not settled, modulo their number
   */
  record Settle(int channel, int which, Verdict verdict, boolean multiple) implements Step {}

  /** How a delivery is settled. */
  enum Verdict {
    ACK,
    NACK_REQUEUE,
    NACK,
    REJECT_REQUEUE,
    REJECT
  }

  record Recover(int channel) implements Step {}

  record CloseChannel(int channel) implements Step {}

  record CloseConnection(int connection) implements Step {}

  record Commit(int channel) implements Step {}

  record Rollback(int channel) implements Step {}

  /** Sets a policy by the management API. */
  record SetPolicy(String name, String pattern, String definition, int priority) implements Step {}

  record ClearPolicy(String name) implements Step {}
}
