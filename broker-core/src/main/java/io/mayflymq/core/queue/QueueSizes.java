package io.mayflymq.core.queue;

import io.mayflymq.core.queue.index.QueueTotals;
import java.util.OptionalLong;

/**
 * What a queue has at one moment, as far as it is numbers: it takes much less time than all that it
 * has, for lists of very many queues.
 *
 * @param totals its messages
 * @param scheduled the messages that wait for their time, as if they were ready
 * @param waiting the dead letters that wait for another queue to take them
 * @param consumers how many consumers it has
 * @param lag how many messages the slowest consumer of a stream has not read yet; empty for other
 *     queues and without consumers
 * @param oldestAgeMillis for how long the oldest message has been in the queue, in ms; empty for a
 *     stream and for an empty queue
 * @param memoryBytes about how many bytes of memory its messages take; empty for a stream
 */
public record QueueSizes(
    QueueTotals totals,
    QueueTotals scheduled,
    QueueTotals waiting,
    int consumers,
    OptionalLong lag,
    OptionalLong oldestAgeMillis,
    OptionalLong memoryBytes) {
  /** Returns how many messages the queue is to deliver or to settle. */
  public long messages() {
    return totals.messages() + waiting.messages();
  }
}
