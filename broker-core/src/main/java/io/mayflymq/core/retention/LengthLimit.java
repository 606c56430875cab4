package io.mayflymq.core.retention;

/**
 * How many ready messages a queue may hold, in number and in bytes of their bodies; whichever limit
 * is reached first counts. Unacknowledged messages do not count.
 *
 * <p>Source: RabbitMQ, "Queue Length Limit".
 *
 * @param messages at most so many, or a negative number for no limit
 * @param bytes at most so many, or a negative number for no limit
 */
public record LengthLimit(long messages, long bytes) {

  /** Whether a queue with this many messages and bytes exceeds the limit. */
  public boolean isExceededBy(long readyMessages, long readyBytes) {
    return (messages >= 0 && readyMessages > messages) || (bytes >= 0 && readyBytes > bytes);
  }
}
