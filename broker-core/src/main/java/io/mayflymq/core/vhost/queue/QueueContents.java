package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerRates;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.FairShareCounts;
import io.mayflymq.core.queue.index.PriorityCounts;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a queue had at one moment.
 *
 * @param totals its messages
 * @param scheduled the messages that wait for their time, as if they were ready
 * @param waiting the dead letters that wait for another queue to take them
 * @param recoverable the messages that have left it and can be brought back, as if they were ready
 * @param consumers its consumers, in the order in which they were added
 * @param consumerCapacity which part of the time it could deliver at once what it had: 0 to 1, or
 *     NaN for a stream
 * @param lag how many messages the slowest consumer of a stream has not read yet; empty for other
 *     queues and without consumers
 * @param head its first ready message; null if none was ready or its content was not in memory
 * @param oldestAgeMillis for how long the oldest message has been in the queue, in ms: one that is
 *     ready, or delivered and not settled; empty for a stream and for an empty queue
 * @param leaseEndMillis when its lease ends if it stays unused, in ms since the epoch; {@link
 *     Deadlines#NEVER} without a lease, or while something keeps it
 * @param memoryBytes about how many bytes of memory its messages take; empty for a stream
 * @param priorities how many messages are ready of each priority; null if the queue tells none
 *     apart
 * @param shares which shares have ready messages; null if no values of a header take turns
 */
public record QueueContents(
    QueueTotals totals,
    QueueTotals scheduled,
    QueueTotals waiting,
    QueueTotals recoverable,
    List<Member> consumers,
    double consumerCapacity,
    OptionalLong lag,
    Message head,
    OptionalLong oldestAgeMillis,
    long leaseEndMillis,
    OptionalLong memoryBytes,
    PriorityCounts priorities,
    FairShareCounts shares) {
  /**
   * Returns how many messages the queue is to deliver or to settle: also those that wait for a
   * retry, and dead letters that wait for another queue; scheduled ones are not in the queue yet.
   */
  public long messages() {
    return totals.messages() + waiting.messages();
  }

  /** Returns what of this is numbers. */
  public QueueSizes sizes() {
    return new QueueSizes(
        totals,
        scheduled,
        waiting,
        recoverable,
        consumers.size(),
        lag,
        oldestAgeMillis,
        memoryBytes);
  }

  /**
   * A consumer of the queue.
   *
   * @param active whether it got messages, which with a single active consumer only one did
   * @param unacked how many messages it had that were not settled
   * @param rates how many it got and acknowledged per second
   */
  public record Member(Consumer consumer, boolean active, int unacked, ConsumerRates.Shown rates) {}
}
