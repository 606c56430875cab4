package io.mayflymq.core.queue;

/**
 * How many messages a queue has, and their body sizes in bytes.
 *
 * @param ready those that are ready
 * @param unacked those that were delivered and not settled
 * @param persistent those of both kinds that are kept in the log
 */
public record QueueTotals(
    long ready,
    long unacked,
    long readyBytes,
    long unackedBytes,
    long persistent,
    long persistentBytes) {
  /** No messages. */
  public static final QueueTotals NONE = new QueueTotals(0, 0, 0, 0, 0, 0);

  /** Both kinds together. */
  public long messages() {
    return ready + unacked;
  }

  /** The same in bytes. */
  public long bytes() {
    return readyBytes + unackedBytes;
  }
}
