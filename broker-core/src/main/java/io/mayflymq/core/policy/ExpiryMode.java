package io.mayflymq.core.policy;

/** When an expired message leaves its queue. */
public enum ExpiryMode {
  /** At its deadline, at any position in the queue. */
  EXACT,
  /** At its deadline, or when it reaches the head of the queue, whichever is later: RabbitMQ. */
  HEAD,
  /**
   * When it would be delivered: at a delivery, a {@code basic.get}, a return to the queue, and at
   * start. As in OtterMQ and Azure Service Bus.
   */
  LAZY
}
