package io.mayflymq.core.policy;

/** What happens when a delivery has been unacknowledged for too long. */
public enum TimeoutAction {
  /** The channel is closed with 406, and all its deliveries are requeued: RabbitMQ 3.13. */
  CLOSE_CHANNEL,
  /** The consumer is cancelled, and its deliveries are requeued: RabbitMQ 4.3. */
  CANCEL,
  /** The message is requeued, as when a lock ends: Azure Service Bus. */
  REQUEUE,
  /** The message is dead-lettered. */
  DEAD_LETTER,
  /** Nothing: RabbitMQ 4.3 for queues that are no quorum queues. */
  NONE
}
