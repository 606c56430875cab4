package io.mayflymq.core.policy;

/**
 * Which returns to a queue lead to a retry delay.
 *
 * <p>Source: RabbitMQ 4.3, "Quorum Queues", section "Delayed Retry".
 */
public enum RetryType {
  /** None. */
  DISABLED,
  /** All. */
  ALL,
  /** Those that count as a failed delivery. */
  FAILED,
  /** Those that do not. */
  RETURNED
}
