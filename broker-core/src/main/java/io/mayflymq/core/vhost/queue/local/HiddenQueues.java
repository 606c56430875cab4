package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.vhost.deadletter.WaitingDeadLetters;
import io.mayflymq.core.vhost.queue.Queue;

/**
 * The hidden queues beside a queue: scheduled messages, and dead letters that wait. Each exists
 * from its first message on. Two others, of messages that can be brought back and of when the time
 * of the queue stood still, are the machine's. Belongs to the queue's shard.
 */
final class HiddenQueues {
  private final Queue queue;
  private final QueueMachine machine;
  private final LocalEnvironment environment;
  private QueueSchedule schedule;
  private WaitingDeadLetters waiting;

  HiddenQueues(Queue queue, QueueMachine machine, LocalEnvironment environment) {
    this.queue = queue;
    this.machine = machine;
    this.environment = environment;
  }

  /** Opens the one with this number in the store, since its messages are being recovered. */
  void open(long storeId) {
    if (StoreIds.isSchedule(storeId)) {
      openSchedule();
    } else if (StoreIds.isRemoved(storeId)) {
      ((ClassicQueueMachine) machine).openRemoved();
    } else if (StoreIds.isStops(storeId)) {
      ((ClassicQueueMachine) machine).openStopped();
    } else {
      openWaiting();
    }
  }

  private QueueSchedule openSchedule() {
    if (schedule == null) {
      schedule = QueueSchedule.open(queue, machine, environment);
    }
    return schedule;
  }

  private WaitingDeadLetters openWaiting() {
    if (waiting == null) {
      waiting =
          new WaitingDeadLetters(
              queue,
              machine,
              environment.router(),
              environment.publishers(),
              environment.partitions());
    }
    return waiting;
  }

  /** Takes over those of a deleted queue, before {@link #start}. */
  void takeOver(HiddenQueues deleted) {
    if (deleted.schedule != null) {
      schedule = new QueueSchedule(queue, machine, environment, deleted.schedule);
    }
    if (deleted.waiting != null) {
      waiting =
          new WaitingDeadLetters(
              queue,
              machine,
              environment.router(),
              environment.publishers(),
              environment.partitions(),
              deleted.waiting.messages());
    }
  }

  // Moving

  /** Returns what takes the scheduled messages of another place. */
  CopySink copiedSchedule() {
    return openSchedule().copiedMessages();
  }

  /** The same for dead letters that wait. */
  CopySink copiedWaiting() {
    return openWaiting().messages().copiedMessages();
  }

  /** Returns whether any dead letter ever waited. */
  boolean hasWaiting() {
    return waiting != null;
  }

  /** Returns the dead letters that wait; only if there ever were any. */
  ClassicQueueMachine waitingMessages() {
    return waiting.messages();
  }

  /** Returns what reads one of them; null if nothing ever was in it. */
  MessageReader messageReader(MessagePart part) {
    if (part == MessagePart.SCHEDULE) {
      return schedule == null ? null : schedule.messageReader();
    }
    return waiting == null ? null : waiting.messages().messageReader();
  }

  /** Nothing leaves from now on. */
  void suspend() {
    if (schedule != null) {
      schedule.suspend();
    }
    if (waiting != null) {
      waiting.suspend();
    }
  }

  /** Returns whether nothing is on its way to other queues. */
  boolean isAtRest() {
    return waiting == null || waiting.isAtRest();
  }

  /** What is due leaves again. */
  void resume() {
    if (schedule != null) {
      schedule.resume();
    }
    if (waiting != null) {
      waiting.resume();
    }
  }

  /** Discards what the queue has at another place now. */
  void leave() {
    if (schedule != null) {
      schedule.dispose();
    }
    if (waiting != null) {
      waiting.leave();
    }
  }

  /** Starts both, with what the store has recovered. */
  void start() {
    if (schedule != null) {
      schedule.start();
    }
    if (waiting != null) {
      waiting.start();
    }
  }

  /** Discards some of what they hold. @return whether there is more before {@link #dispose} */
  boolean disposeSome() {
    return schedule != null && schedule.disposeSome();
  }

  void dispose() {
    if (schedule != null) {
      schedule.dispose();
    }
    if (waiting != null) {
      waiting.dispose();
    }
  }

  // Scheduled messages

  void schedule(Message message, Move move, long dueMillis) {
    openSchedule().add(message, move, dueMillis);
  }

  /** Returns the schedule; null if nothing was ever scheduled. */
  QueueSchedule schedule() {
    return schedule;
  }

  QueueTotals scheduled() {
    return schedule == null ? QueueTotals.NONE : schedule.totals();
  }

  /** See {@link QueueSchedule#deadLetterAll}. */
  boolean deadLetterSchedule(DropTrigger cause) {
    return schedule == null || schedule.deadLetterAll(cause);
  }

  // Dead letters that wait

  void keepWaiting(Message deadLetter, Move move) {
    openWaiting().add(deadLetter, move);
  }

  QueueTotals waiting() {
    return waiting == null ? QueueTotals.NONE : waiting.totals();
  }

  /** Returns the dead letters that wait, and what sends them on; only if there ever were any. */
  WaitingDeadLetters waitingDeadLetters() {
    return waiting;
  }
}
