package io.mayflymq.core.retention;

/**
 * How many ready messages a queue may hold, in number and in bytes of their bodies; whichever is
 * hit first counts. Unacknowledged messages do not.
 *
 * <p>Source: RabbitMQ, "Queue Length Limit".
 *
 * @param messages at most so many, or a negative number for no limit
 * @param bytes at most so many, or a negative number for no limit
 */
public record LengthLimit(long messages, long bytes) {

  /** Whether a queue that holds this much holds too much. */
  public boolean isExceededBy(long readyMessages, long readyBytes) {
    return (messages >= 0 && readyMessages > messages) || (bytes >= 0 && readyBytes > bytes);
  }
}
