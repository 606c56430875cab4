package io.mayflymq.core.settings;

/** Which time to live counts for a message: its own one, its queue's, or both. */
public enum TtlMode {
  /** The lower of both, as in RabbitMQ and, where the queue's is a ceiling, Azure Service Bus. */
  MIN,
  /** The message's own one where it has one, though it may be longer, as in OtterMQ. */
  MESSAGE_FIRST,
  /** The queue's alone. */
  QUEUE_ONLY
}
