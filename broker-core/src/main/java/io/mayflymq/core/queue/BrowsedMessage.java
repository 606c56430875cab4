package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;

/**
 * A ready message, as a browser sees it without taking it from the queue.
 *
 * @param position how many messages would be delivered before it
 * @param sequence its number in the queue, or its offset in a stream; a number is never reused
 * @param message the message; null if it is too large to be read only for display
 * @param bodyLength the length of its body in bytes
 * @param enqueuedAtMillis when it arrived, in ms since the epoch; {@link #UNKNOWN} in a stream
 * @param deadlineMillis when it expires, in ms since the epoch; {@link Deadlines#NEVER} if never
 * @param redelivered whether it may have been delivered before
 * @param deliveryCount how often it has been returned; {@link #UNKNOWN} if the queue does not count
 *     it
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
  /** Stands for a number that is not known. */
  public static final long UNKNOWN = -1;

  /** Returns the same with a shortened message. */
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
