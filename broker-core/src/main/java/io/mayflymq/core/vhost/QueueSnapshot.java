package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.MessageSource;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.List;

/**
 * How a queue was at one moment.
 *
 * @param queue the queue; its counters go on
 * @param totals its messages
 * @param scheduled the messages that wait for their time, as if they were ready
 * @param waiting the dead letters that wait for another queue to take them
 * @param consumers its consumers, in the order in which they came
 * @param head its first ready message; null if none was ready or its content was not in memory
 */
public record QueueSnapshot(
    Queue queue,
    QueueTotals totals,
    QueueTotals scheduled,
    QueueTotals waiting,
    List<Member> consumers,
    Message head) {

  static QueueSnapshot of(
      Queue queue, QueueMachine machine, QueueSchedule schedule, WaitingDeadLetters waiting) {
    return new QueueSnapshot(
        queue,
        machine.totals(),
        schedule == null ? QueueTotals.NONE : schedule.totals(),
        waiting == null ? QueueTotals.NONE : waiting.totals(),
        machine.consumers().stream()
            .map(consumer -> new Member(consumer, machine.isActive(consumer)))
            .toList(),
        machine instanceof MessageSource messages ? messages.peekHead() : null);
  }

  /**
   * A consumer of the queue.
   *
   * @param active whether it got messages, which with a single active consumer only one did
   */
  public record Member(Consumer consumer, boolean active) {}
}
