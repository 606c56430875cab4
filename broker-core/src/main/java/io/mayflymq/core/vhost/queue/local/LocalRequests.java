package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.deathjournal.DeathBatch;
import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.ChosenPurge;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.DeadlineReport;
import io.mayflymq.core.queue.DeadlineSurvey;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.queue.SchedulePage;
import io.mayflymq.core.queue.SchedulePlace;
import io.mayflymq.core.queue.ScheduleRemoval;
import io.mayflymq.core.queue.ScheduleSearch;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueuePage;
import io.mayflymq.core.vhost.queue.QueueRequests;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Requests to a queue on this node, from any thread. */
final class LocalRequests implements QueueRequests {
  /** More messages than these are not counted by deadline: it would take a tenth of a second. */
  private static final long MOST_SURVEYED = 1_000_000;

  private final LocalQueueState state;
  private final Queue queue;
  private final QueueMachine machine;
  private final Shard shard;
  private final QueueDeletion deletion;
  private final LocalMoves moves;
  private final Supplier<QueueSettings> settings;

  /**
   * Creates them.
   *
   * @param settings the effective settings, for any thread
   */
  LocalRequests(
      LocalQueueState state,
      QueueDeletion deletion,
      LocalMoves moves,
      Supplier<QueueSettings> settings) {
    this.state = state;
    this.queue = state.queue();
    this.machine = state.machine();
    this.shard = state.shard();
    this.deletion = deletion;
    this.moves = moves;
    this.settings = settings;
  }

  @Override
  public QueueSettings settings() {
    return settings.get();
  }

  @Override
  public Counters counters() {
    return machine.counters();
  }

  @Override
  public CompletableFuture<Void> subscribe(Consumer consumer, Runnable admitted) {
    return state.serve(
        () -> {
          CompletableFuture<Void> joined = new CompletableFuture<>();
          moves.join(consumer, () -> join(consumer, admitted, joined));
          return joined;
        });
  }

  private void join(Consumer consumer, Runnable admitted, CompletableFuture<Void> joined) {
    try {
      state.requireExists();
      if (!machine.admits(consumer.exclusive())) {
        throw Preconditions.inExclusiveUse(queue);
      }
      admitted.run();
      machine.subscribe(consumer, state.now());
      joined.complete(null);
    } catch (RuntimeException e) {
      joined.completeExceptionally(e);
    }
  }

  @Override
  public CompletableFuture<Void> stop(Consumer consumer) {
    return shard.call(
        () -> {
          if (!state.isDeleted()) {
            machine.stop(consumer);
          }
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> cancel(Consumer consumer) {
    return state.serve(
        () ->
            // Also if it is about to be deleted: that may fail, and then it stays.
            !state.isDeleted()
                    && !moves.hasNotJoined(consumer)
                    && machine.cancel(consumer, state.now())
                    && queue.definition().autoDelete()
                    && state.isThere()
                ? deletion.deleteUnused()
                : CompletableFuture.<Void>completedFuture(null));
  }

  @Override
  public void used(LeaseUse use) {
    if (settings().lease().counts(use)) {
      shard.runOrExecute(
          () -> {
            if (!state.isDeleted()) {
              state.used(use);
            }
          });
    }
  }

  @Override
  public void locksRenewed(long count) {
    shard.runOrExecute(() -> counters().add(Counter.LOCK_RENEWALS, count));
  }

  @Override
  public CompletableFuture<GetResult> fetch(boolean acknowledges, LeaseUse use) {
    return state.serve(
        () -> {
          state.requireExists();
          ClassicQueueMachine messages = requireGet();
          state.used(use);
          return CompletableFuture.completedFuture(messages.fetch(acknowledges, state.now()));
        });
  }

  private ClassicQueueMachine requireGet() {
    ClassicQueueMachine messages = state.requireSource("basic.get");
    QueueSettings declared = queue.definition().settings();
    if (declared.type() == QueueType.QUORUM && declared.singleActiveConsumer()) {
      throw new ChannelException(
          ReplyCode.RESOURCE_LOCKED,
          ("cannot obtain access to locked %s. basic.get operations are not supported by quorum"
                  + " queues with single active consumer")
              .formatted(queue));
    }
    return messages;
  }

  @Override
  public CompletableFuture<Long> purge() {
    return state.serve(
        () -> {
          state.requireExists();
          return safely(QueuePurge.of(state, state.requireSource("queue.purge")));
        });
  }

  @Override
  public CompletableFuture<Long> purge(MessageChoice choice, boolean onlyCounts, String user) {
    return state.serve(
        () -> {
          state.requireExists();
          DeathRecord.Removal deleted =
              new DeathRecord.Removal(DeathRecord.Removal.Kind.DELETED, user);
          ChosenPurge purge =
              state
                  .requireSource("queue.purge")
                  .purge(choice, onlyCounts, (message, now) -> note(message, deleted, now));
          CompletableFuture<Long> chosen =
              SlicedTask.of(state, () -> purge.step(state.now()), purge::chosen);
          return onlyCounts ? chosen : safely(chosen);
        });
  }

  /** The answer says that it is done, so a crash must not undo it. */
  private <T> CompletableFuture<T> safely(CompletableFuture<T> task) {
    return task.thenCompose(result -> queue.partition().safe().thenApply(safe -> result));
  }

  private void note(Message message, DeathRecord.Removal removal, long nowMillis) {
    DeathBatch deaths = queue.partition().deaths();
    if (deaths.isOn()) {
      deaths.add(
          DeathRecord.removed(
              queue.partition().time().toMachine(nowMillis),
              queue.vhost().name(),
              queue.name(),
              message,
              removal,
              List.of()),
          shard);
    }
  }

  @Override
  public CompletableFuture<Restoration.Report> restore(Restoration.Choice choice) {
    return state.serve(
        () -> {
          if (state.kept() != null && choice.onlyCounts()) {
            return state.kept().count();
          }
          state.requireExists();
          ClassicQueueMachine messages = state.requireSource("restore");
          Restoration restoration = messages.restoration(choice);
          PartitionStore store = queue.partition().store();
          CompletableFuture<Restoration.Report> report =
              SlicedTask.of(
                  state,
                  () -> messages.restore(restoration, state.now(), store::move),
                  restoration::report);
          return choice.onlyCounts() ? report : safely(report);
        });
  }

  @Override
  public CompletableFuture<Restoration.Report> broughtBack() {
    return state.serve(
        () -> {
          state.requireExists();
          CompletableFuture<Restoration.Report> report = state.broughtBack();
          return report == null
              ? CompletableFuture.completedFuture(new Restoration.Report(Map.of(), 0, 0))
              : report;
        });
  }

  @Override
  public CompletableFuture<QueuePage> browse(long position, int count, long bytes) {
    return state.serve(
        () -> {
          QueueBrowse browse = new QueueBrowse(state, position, count, bytes);
          browse.run();
          return browse.done();
        });
  }

  @Override
  public CompletableFuture<DeadlineReport> deadlines(int next) {
    return state.serve(
        () -> {
          state.requireExists();
          DeadlineSurvey survey =
              state.requireSource("deadlines").survey(state.now(), MOST_SURVEYED, next);
          return SlicedTask.of(state, survey::step, survey::report);
        });
  }

  @Override
  public CompletableFuture<SchedulePage> scheduled(SchedulePlace after, int limit) {
    return withSchedule(
        schedule -> {
          ScheduleSearch search = schedule.search(after, limit);
          return SlicedTask.of(state, () -> schedule.step(search::step), search::page);
        },
        SchedulePage.NONE);
  }

  @Override
  public CompletableFuture<Long> removeScheduled(String messageId) {
    return withSchedule(
        schedule -> {
          ScheduleRemoval removal = schedule.removal(messageId);
          return safely(SlicedTask.of(state, () -> schedule.step(removal::step), removal::removed));
        },
        0L);
  }

  /**
   * @param otherwise the answer if nothing was ever scheduled
   */
  private <T> CompletableFuture<T> withSchedule(
      Function<QueueSchedule, CompletableFuture<T>> work, T otherwise) {
    return state.serve(
        () -> {
          state.requireExists();
          QueueSchedule schedule = state.hidden().schedule();
          return schedule == null
              ? CompletableFuture.completedFuture(otherwise)
              : work.apply(schedule);
        });
  }
}
