package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.List;

/**
 * A queue at one moment.
 *
 * @param queue the queue; its counters go on
 * @param contents what it had
 */
public record QueueSnapshot(Queue queue, QueueContents contents) {
  /** Takes a snapshot, within a burst of the queue's shard; null if the queue is deleted. */
  public static QueueSnapshot of(Queue queue) {
    QueueContents contents = queue.nearest().onShard().contents();
    return contents == null ? null : new QueueSnapshot(queue, contents);
  }

  /** Returns the numbers of a queue, within a burst of its shard; null if it is deleted. */
  public static QueueSizes sizes(Queue queue) {
    return queue.nearest().onShard().sizes();
  }

  /** See {@link QueueContents#totals}. */
  public QueueTotals totals() {
    return contents.totals();
  }

  /** See {@link QueueContents#messages}. */
  public long messages() {
    return contents.messages();
  }

  /** See {@link QueueContents#scheduled}. */
  public QueueTotals scheduled() {
    return contents.scheduled();
  }

  /** See {@link QueueContents#waiting}. */
  public QueueTotals waiting() {
    return contents.waiting();
  }

  /** See {@link QueueContents#consumers}. */
  public List<QueueContents.Member> consumers() {
    return contents.consumers();
  }

  /** See {@link QueueContents#leaseEndMillis}. */
  public long leaseEndMillis() {
    return contents.leaseEndMillis();
  }

  /** See {@link QueueContents#head}. */
  public Message head() {
    return contents.head();
  }
}
