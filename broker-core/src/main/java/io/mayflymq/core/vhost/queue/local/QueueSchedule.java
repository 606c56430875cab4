package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.HeaderTime;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.SchedulePlace;
import io.mayflymq.core.queue.ScheduleRemoval;
import io.mayflymq.core.queue.ScheduleSearch;
import io.mayflymq.core.queue.ScheduledMessages;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.MessageCopy;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is scheduled for a queue, in action: tied to its partition's time, timers and log. Belongs
 * to the shard's thread, in whose bursts all methods are called.
 */
final class QueueSchedule extends Timer {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueSchedule.class);

  /** How many messages are released in one go before other work gets its turn. */
  private static final int SLICE = 256;

  /** How many are discarded in one go. */
  private static final int DISPOSAL_SLICE = 4096;

  private final Queue queue;
  private final QueueMachine machine;
  private final LocalEnvironment environment;
  private final Shard shard;
  private final PartitionTime time;
  private final PartitionStore store;
  private final ScheduledMessages messages;
  private final Departure onTime = new Departure(this::release);
  private long wakeAt = Deadlines.NEVER;
  private boolean suspended;

  /** What the queue knows of whether there are any. */
  private boolean any;

  /** Opens what the store has, or nothing yet. */
  static QueueSchedule open(Queue queue, QueueMachine machine, LocalEnvironment environment) {
    return new QueueSchedule(
        queue,
        machine,
        environment,
        new ScheduledMessages(
            queue.partition().pages(),
            queue
                .partition()
                .store()
                .open(StoreIds.ofSchedule(queue.id()), queue.storeName(), queue.kept())));
  }

  /** Takes over that of a deleted queue, which does nothing any more. */
  QueueSchedule(
      Queue queue, QueueMachine machine, LocalEnvironment environment, QueueSchedule deleted) {
    this(queue, machine, environment, deleted.messages);
    shard.timers().cancel(deleted);
  }

  private QueueSchedule(
      Queue queue, QueueMachine machine, LocalEnvironment environment, ScheduledMessages messages) {
    this.queue = queue;
    this.machine = machine;
    this.environment = environment;
    this.shard = queue.shard();
    this.time = queue.partition().time();
    this.store = queue.partition().store();
    this.messages = messages;
  }

  /** Starts with what the store has recovered. */
  void start() {
    messages.start();
    tellQueue();
    wakeNoLaterThan(messages.nextDue());
  }

  /** A message that would be due after the deadline of its header dies at once. */
  void add(Message message, Move move, long dueMillis) {
    long deadline = deadlineOf(message);
    if (deadline <= dueMillis) {
      tooLate(message, deadline);
      return;
    }
    messages.add(message, move, dueMillis, time.now());
    tellQueue();
    wakeNoLaterThan(dueMillis);
  }

  private long deadlineOf(Message message) {
    String header = queue.settings().expiry().deadlineHeader();
    return header == null ? Deadlines.NEVER : HeaderTime.of(message, header);
  }

  private void tooLate(Message message, long deadline) {
    long now = time.now();
    queue.counters().accepted(message.exchange(), message.bodyLength());
    queue.counters().add(Counter.of(DropTrigger.DEADLINE.reason()), 1);
    queue.counters().add(Counter.EXPIRED_BY_DEADLINE, 1);
    environment.notices().died(queue, message, deadline, now, now);
    environment.router().route(queue, message, null, DropTrigger.DEADLINE, deadline, now);
  }

  private void wakeNoLaterThan(long dueMillis) {
    if (dueMillis < wakeAt) {
      wakeAt = dueMillis;
      time.schedule(this, dueMillis);
    }
  }

  @Override
  protected void fire(long nowMillis) {
    wakeAt = Deadlines.NEVER;
    if (queue.onShard().isDeleted() || suspended) {
      return;
    }
    wakeNoLaterThan(messages.release(time.now(), SLICE, onTime));
    tellQueue();
  }

  /** While messages wait here the queue's lease may not run. */
  private void tellQueue() {
    if (any == messages.isEmpty()) {
      any = !any;
      if (!queue.onShard().isDeleted() && machine instanceof ClassicQueueMachine leased) {
        leased.skipped(shard.skippedMillis());
        leased.holdsScheduled(any, time.now());
      }
    }
  }

  /**
   * A message is due: it goes to the tail of the queue. One that a full queue refuses has no
   * publisher any more who could be told, so it dies there. A stream has a log of its own, and gets
   * the message as it would a dead letter.
   */
  private void release(Message message, UnsettledEntry entry) {
    if (queue.isStream()) {
      environment.publishers().of(queue.partition()).send(entry, message, Route.of(queue));
    } else if (queue.onShard().refuses(message)) {
      LengthSettings limit = queue.settings().length();
      DropTrigger cause =
          limit.maxLength() == QueueSettings.NONE
              ? DropTrigger.MAX_LENGTH_BYTES
              : DropTrigger.MAX_LENGTH;
      die(message, entry, cause);
    } else if (entry == null) {
      queue.onShard().publish(message);
    } else {
      boolean published = false;
      Move move = store.move(entry, message);
      try {
        queue.onShard().publish(message, move);
        published = true;
      } finally {
        move.write(time.now(), !published);
      }
    }
  }

  /** How a message leaves. If that fails, the log keeps it, and it is back after a restart. */
  private final class Departure implements ScheduledMessages.Release {
    private final BiConsumer<Message, UnsettledEntry> way;

    Departure(BiConsumer<Message, UnsettledEntry> way) {
      this.way = way;
    }

    @Override
    public void due(Message message, UnsettledEntry entry, long nowMillis) {
      try {
        way.accept(message, entry);
      } catch (Throwable e) {
        shard.faults().report("a scheduled message for", queue, e);
        if (entry != null) {
          store.await(entry);
        }
      }
    }

    @Override
    public void unreadable(long sequence, String reason) {
      LOGGER.warn(
          "scheduled message {} for {} cannot be read and is set aside: {}",
          sequence,
          queue,
          reason);
    }
  }

  private void die(Message message, UnsettledEntry entry, DropTrigger cause) {
    queue.counters().add(Counter.of(cause.reason()), 1);
    environment.router().route(queue, message, entry, cause, Deadlines.NEVER, time.now());
  }

  /**
   * Has some messages die with the queue, those first that are due first; to be called until there
   * are none.
   *
   * @param cause what the queue's end comes from
   * @return whether there are none
   */
  boolean deadLetterAll(DropTrigger cause) {
    messages.releaseAll(
        time.now(), SLICE, new Departure((message, entry) -> die(message, entry, cause)));
    tellQueue();
    return messages.isEmpty();
  }

  // Moving

  MessageReader messageReader() {
    return messages.messageReader();
  }

  MessageCopy copyMessages() {
    return messages.copyMessages();
  }

  void endCopy(MessageCopy copy, CopySink sink) {
    messages.endCopy(copy, sink);
  }

  CopySink copiedMessages() {
    return messages.copiedMessages();
  }

  /** Nothing is released from now on. */
  void suspend() {
    suspended = true;
  }

  /** What is due is released again. */
  void resume() {
    suspended = false;
    wakeNoLaterThan(messages.nextDue());
  }

  QueueTotals totals() {
    return messages.totals();
  }

  /**
   * Starts to remove messages.
   *
   * @param messageId which ones; null for all that wait now
   */
  ScheduleRemoval removal(String messageId) {
    return messages.removal(messageId);
  }

  /** Starts a search; parameters as in {@link ScheduledMessages#search}. */
  ScheduleSearch search(SchedulePlace after, int limit) {
    return messages.search(after, limit);
  }

  /** Makes a step of a removal or search. @return whether there is more to do */
  boolean step(BooleanSupplier step) {
    boolean more = step.getAsBoolean();
    tellQueue();
    return more;
  }

  /**
   * Discards some of what is scheduled, since the queue is deleted.
   *
   * @return whether there is more to discard before {@link #dispose}
   */
  boolean disposeSome() {
    shard.timers().cancel(this);
    return messages.disposeSome(DISPOSAL_SLICE);
  }

  /** Discards all that is scheduled, since the queue is deleted. */
  void dispose() {
    shard.timers().cancel(this);
    messages.dispose();
  }
}
