package io.mayflymq.core.settings;

/** When a message that is too old leaves its queue. */
public enum ExpiryMode {
  /** At its deadline, wherever it stands. */
  EXACT,
  /** At its deadline, or when it gets to the head of the queue, whichever is later: RabbitMQ. */
  HEAD,
  /**
   * When somebody would get it: at a delivery, a {@code basic.get}, a return to the queue, and at
   * start. As in OtterMQ and Azure Service Bus.
   */
  LAZY
}
