package io.mayflymq.core.settings;

/** What happens when a delivery has been unacknowledged for too long. */
public enum TimeoutAction {
  /** The channel is closed with 406, and all that it holds returns: RabbitMQ 3.13. */
  CLOSE_CHANNEL,
  /** The consumer is cancelled, and what it holds returns: RabbitMQ 4.3. */
  CANCEL,
  /** The message returns to its queue, as if a lock had ended: Azure Service Bus. */
  REQUEUE,
  /** The message dies. */
  DEAD_LETTER
}
