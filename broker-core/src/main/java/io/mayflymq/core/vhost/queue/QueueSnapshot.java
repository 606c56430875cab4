package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.List;

/**
 * A queue at one moment.
 *
 * @param queue the queue; its counters go on
 * @param state what it had
 */
public record QueueSnapshot(Queue queue, QueueState state) {
  /** Takes a snapshot, within a burst of the queue's shard; null if the queue is deleted. */
  public static QueueSnapshot of(Queue queue) {
    QueueState state = queue.onShard().state();
    return state == null ? null : new QueueSnapshot(queue, state);
  }

  /** See {@link QueueState#totals}. */
  public QueueTotals totals() {
    return state.totals();
  }

  /** See {@link QueueState#scheduled}. */
  public QueueTotals scheduled() {
    return state.scheduled();
  }

  /** See {@link QueueState#waiting}. */
  public QueueTotals waiting() {
    return state.waiting();
  }

  /** See {@link QueueState#consumers}. */
  public List<QueueState.Member> consumers() {
    return state.consumers();
  }

  /** See {@link QueueState#head}. */
  public Message head() {
    return state.head();
  }
}
