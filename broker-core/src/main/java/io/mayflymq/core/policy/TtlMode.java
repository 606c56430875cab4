package io.mayflymq.core.policy;

/** Which TTL counts for a message: its own, its queue's, or both. */
public enum TtlMode {
  /**
   * The lower of both, as in RabbitMQ and in Azure Service Bus, where the queue's is an upper
   * bound.
   */
  MIN,
  /** The message's own if it has one, even if it is longer, as in OtterMQ. */
  MESSAGE_FIRST,
  /** Only the queue's. */
  QUEUE_ONLY
}
