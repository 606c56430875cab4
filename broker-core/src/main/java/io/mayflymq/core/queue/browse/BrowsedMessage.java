package io.mayflymq.core.queue.browse;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.retention.Deadlines;

/**
 * A ready message, as somebody sees it who takes nothing.
 *
 * @param position how many messages would be served before it
 * @param sequence its number in the queue, or its offset in a stream; never given to another one
 * @param message the message; null if it is too large to be read just for looking at it
 * @param bodyLength the length of its body in bytes
 * @param enqueuedAtMillis when it came, in ms since the epoch; {@link #UNKNOWN} in a stream
 * @param deadlineMillis when it expires, in ms since the epoch; {@link Deadlines#NEVER} if never
 * @param redelivered whether it may have been delivered before
 * @param deliveryCount how often it has come back; {@link #UNKNOWN} where nobody counts
 */
public record BrowsedMessage(
    long position,
    long sequence,
    Message message,
    int bodyLength,
    long enqueuedAtMillis,
    long deadlineMillis,
    boolean redelivered,
    long deliveryCount) {
  /** What is not known. */
  public static final long UNKNOWN = -1;

  /** The same with a message of which less is kept. */
  public BrowsedMessage with(Message shorter) {
    return new BrowsedMessage(
        position,
        sequence,
        shorter,
        bodyLength,
        enqueuedAtMillis,
        deadlineMillis,
        redelivered,
        deliveryCount);
  }
}
