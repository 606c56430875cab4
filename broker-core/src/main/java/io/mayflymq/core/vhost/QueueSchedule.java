package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.queue.schedule.SchedulePage;
import io.mayflymq.core.queue.schedule.SchedulePlace;
import io.mayflymq.core.queue.schedule.ScheduleRemoval;
import io.mayflymq.core.queue.schedule.ScheduleSearch;
import io.mayflymq.core.queue.schedule.ScheduledMessages;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.routing.route.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.settings.LengthSettings;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.store.ShardStore;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.UnsettledEntry;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is scheduled for a queue, in action: tied to its shard's clock, timers and log. Belongs to
 * the shard's thread, in whose bursts all methods are called.
 */
public final class QueueSchedule extends Timer {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueSchedule.class);

  /** How many messages are released in one go before other work gets its turn. */
  private static final int SLICE = 256;

  private final Queue queue;
  private final Shards shards;
  private final Shard shard;
  private final ShardStore store;
  private final ScheduledMessages messages;
  private final Departure onTime = new Departure(this::release);
  private long wakeAt = Deadlines.NEVER;

  /** What the queue knows of whether there are any. */
  private boolean any;

  QueueSchedule(Queue queue, Shards shards) {
    this.queue = queue;
    this.shards = shards;
    this.shard = queue.shard();
    this.store = shards.store(shard);
    this.messages =
        new ScheduledMessages(
            shards.pages(shard),
            store.open(
                StoreIds.ofSchedule(queue.id()),
                QueueMachineFactory.nameOf(queue),
                queue.definition().durable()));
  }

  /** Begins, with what the store has brought back, if that is anything. */
  static void start(QueueSchedule recovered) {
    if (recovered != null) {
      recovered.messages.start();
      recovered.tellQueue();
      recovered.wakeNoLaterThan(recovered.messages.nextDue());
    }
  }

  void add(Message message, long dueMillis) {
    messages.add(message, dueMillis, shard.now());
    tellQueue();
    wakeNoLaterThan(dueMillis);
  }

  private void wakeNoLaterThan(long dueMillis) {
    if (dueMillis < wakeAt) {
      wakeAt = dueMillis;
      shard.timers().schedule(this, dueMillis);
    }
  }

  @Override
  protected void fire(long nowMillis) {
    wakeAt = Deadlines.NEVER;
    if (queue.isDeleted()) {
      return;
    }
    wakeNoLaterThan(messages.release(nowMillis, SLICE, onTime));
    tellQueue();
  }

  /** While messages wait here the queue's lease may not run. */
  private void tellQueue() {
    if (any == messages.isEmpty()) {
      any = !any;
      queue.holdsScheduled(any);
    }
  }

  /**
   * A message is due: it goes to the tail of the queue. One that a full queue refuses has no
   * publisher any more who could be told, so it dies there. A stream has a log of its own, and gets
   * the message as it would a dead letter.
   */
  private void release(Message message, UnsettledEntry entry) {
    if (queue.isStream()) {
      shards.deadLetters(shard).send(entry, message, Route.of(queue));
    } else if (queue.refuses(message)) {
      LengthSettings limit = queue.settings().length();
      DropTrigger cause =
          limit.maxLength() == QueueSettings.NONE
              ? DropTrigger.MAX_LENGTH_BYTES
              : DropTrigger.MAX_LENGTH;
      die(message, entry, cause);
    } else if (entry == null) {
      queue.publish(message);
    } else {
      boolean published = false;
      store.beginMove(entry, message);
      try {
        queue.publish(message);
        published = true;
      } finally {
        store.endMove(shard.now(), !published);
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
        shard.faults().contained("a scheduled message for", queue, e);
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
    queue.vhost().deadLetters().route(queue, message, entry, cause, Deadlines.NEVER, shard.now());
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
        shard.now(), SLICE, new Departure((message, entry) -> die(message, entry, cause)));
    tellQueue();
    return messages.isEmpty();
  }

  QueueTotals totals() {
    return messages.totals();
  }

  /**
   * Does something with what is scheduled for a queue, on its shard. Any thread may call.
   *
   * @param otherwise the answer where nothing ever was
   * @return the answer; fails with 404 if the queue has gone
   */
  public static <T> CompletableFuture<T> with(
      Queue queue, Function<QueueSchedule, CompletableFuture<T>> work, T otherwise) {
    return queue
        .shard()
        .call(
            () -> {
              queue.requireExists();
              QueueSchedule schedule = queue.schedule;
              return schedule == null
                  ? CompletableFuture.completedFuture(otherwise)
                  : work.apply(schedule);
            })
        .thenCompose(answer -> answer);
  }

  /**
   * Removes messages.
   *
   * @param messageId which ones; null for all that wait now
   * @return done when that has happened, with how many they were
   */
  public CompletableFuture<Long> remove(String messageId) {
    ScheduleRemoval removal = messages.removal(messageId);
    return inSlices(removal::step, removal::removed);
  }

  /** Looks at messages; parameters as in {@link ScheduledMessages#search}. */
  public CompletableFuture<SchedulePage> page(SchedulePlace after, int limit) {
    ScheduleSearch search = messages.search(after, limit);
    return inSlices(search::step, search::page);
  }

  private <T> CompletableFuture<T> inSlices(BooleanSupplier step, Supplier<T> result) {
    return SlicedTask.of(
        queue,
        () -> {
          boolean more = step.getAsBoolean();
          tellQueue();
          return more;
        },
        result);
  }

  /** The queue has gone with all that was scheduled for it, if anything was. */
  static void dispose(QueueSchedule schedule) {
    if (schedule != null) {
      schedule.shard.timers().cancel(schedule);
      schedule.messages.dispose();
    }
  }
}
