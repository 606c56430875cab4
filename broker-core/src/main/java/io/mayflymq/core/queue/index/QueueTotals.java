package io.mayflymq.core.queue.index;

/**
 * How many messages a queue has, and their body sizes in bytes.
 *
 * @param ready those that are ready
 * @param unacked those that were delivered and not settled
 * @param delayed those that were returned and wait for their retry delay
 * @param unreadable those that were set aside, because they cannot be read at the moment
 * @param persistent those of all kinds that are kept in the log
 */
public record QueueTotals(
    long ready,
    long unacked,
    long readyBytes,
    long unackedBytes,
    long delayed,
    long delayedBytes,
    long unreadable,
    long unreadableBytes,
    long persistent,
    long persistentBytes) {
  /** No messages. */
  public static final QueueTotals NONE = new QueueTotals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Returns the number of messages of all kinds. */
  public long messages() {
    return ready + unacked + delayed + unreadable;
  }

  /** Returns the body sizes of messages of all kinds, in bytes. */
  public long bytes() {
    return readyBytes + unackedBytes + delayedBytes + unreadableBytes;
  }
}
