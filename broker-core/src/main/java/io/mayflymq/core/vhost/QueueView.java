package io.mayflymq.core.vhost;

import io.mayflymq.core.queue.Consumer;
import java.util.List;

/**
 * How a queue was at one moment.
 *
 * @param queue the queue; its counters go on
 * @param ready how many messages were ready
 * @param unacked how many were delivered and not settled
 * @param persistent how many of both were published as persistent
 * @param readyBytes the sum of the ready messages' body sizes
 * @param unackedBytes the same of those that were not settled
 * @param consumers its consumers, in the order in which they came
 */
public record QueueView(
    Queue queue,
    long ready,
    long unacked,
    long persistent,
    long readyBytes,
    long unackedBytes,
    List<Member> consumers) {

  /**
   * A consumer of the queue.
   *
   * @param active whether it got messages, which with a single active consumer only one did
   */
  public record Member(Consumer consumer, boolean active) {}

  /** How many messages there were. */
  public long messages() {
    return ready + unacked;
  }
}
