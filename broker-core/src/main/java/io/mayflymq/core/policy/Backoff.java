package io.mayflymq.core.policy;

/** How the retry delay grows from one return of a message to the next. */
public enum Backoff {
  /** By the same amount each time: RabbitMQ 4.3. */
  LINEAR,
  /** Twofold each time. */
  EXPONENTIAL
}
