package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.DeadlineReport;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.queue.SchedulePage;
import io.mayflymq.core.queue.SchedulePlace;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.vhost.queue.QueueGate.MovedException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Requests that follow a queue to its new place. Any thread may call. */
public final class Following {
  /** For so long the change of the place may take to be in force on this node. */
  private static final long LONGEST_MILLIS = 10_000;

  private Following() {}

  /** Returns an implementation whose requests go to the queue's successor when it has moved. */
  public static Queue.Implementation of(Queue queue, Queue.Implementation here) {
    return new Queue.Implementation(
        here.onShard(),
        new Requests(queue, here.requests()),
        new Lifecycle(queue, here.lifecycle()),
        here.copying());
  }

  /**
   * Asks a queue, or its successor if it has moved.
   *
   * @param request asks a queue; fails with {@link MovedException} if that has moved
   */
  public static <T> CompletableFuture<T> ask(
      Queue queue, Function<Queue, CompletableFuture<T>> request) {
    return request
        .apply(queue)
        .exceptionallyCompose(
            failure ->
                Causes.of(failure) instanceof MovedException
                    ? successor(queue).thenCompose(next -> ask(next, request))
                    : CompletableFuture.failedFuture(failure));
  }

  private static CompletableFuture<Queue> successor(Queue queue) {
    return queue
        .gate()
        .successor()
        .copy()
        .orTimeout(LONGEST_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            late ->
                CompletableFuture.failedFuture(
                    new ChannelException(
                        ReplyCode.NOT_FOUND,
                        "%s has moved, and its new node is not known here yet".formatted(queue))));
  }

  /** Requests that need not know which of the two has answered. */
  private record Requests(Queue queue, QueueRequests here) implements QueueRequests {
    private <T> CompletableFuture<T> follow(Function<QueueRequests, CompletableFuture<T>> request) {
      return ask(queue, at -> request.apply(at == queue ? here : at.requests()));
    }

    @Override
    public QueueSettings settings() {
      return here.settings();
    }

    @Override
    public Counters counters() {
      return here.counters();
    }

    /** The consumer belongs to this place, so it does not follow. */
    @Override
    public CompletableFuture<Void> subscribe(Consumer consumer, Runnable admitted) {
      return here.subscribe(consumer, admitted);
    }

    @Override
    public CompletableFuture<Void> stop(Consumer consumer) {
      return here.stop(consumer);
    }

    /** A consumer of this place went with it. */
    @Override
    public CompletableFuture<Void> cancel(Consumer consumer) {
      return here.cancel(consumer)
          .exceptionallyCompose(
              failure ->
                  Causes.of(failure) instanceof MovedException
                      ? CompletableFuture.completedFuture(null)
                      : CompletableFuture.failedFuture(failure));
    }

    @Override
    public void used(LeaseUse use) {
      here.used(use);
    }

    @Override
    public void locksRenewed(long count) {
      here.locksRenewed(count);
    }

    /** The message is settled at this place, so this does not follow. */
    @Override
    public CompletableFuture<GetResult> fetch(boolean acknowledges, LeaseUse use) {
      return here.fetch(acknowledges, use);
    }

    @Override
    public CompletableFuture<Long> purge() {
      return follow(QueueRequests::purge);
    }

    @Override
    public CompletableFuture<Long> purge(MessageChoice choice, boolean onlyCounts, String user) {
      return follow(at -> at.purge(choice, onlyCounts, user));
    }

    @Override
    public CompletableFuture<Restoration.Report> restore(Restoration.Choice choice) {
      return follow(at -> at.restore(choice));
    }

    @Override
    public CompletableFuture<Restoration.Report> broughtBack() {
      return follow(QueueRequests::broughtBack);
    }

    @Override
    public CompletableFuture<QueuePage> browse(long position, int count, long bytes) {
      return follow(at -> at.browse(position, count, bytes));
    }

    @Override
    public CompletableFuture<DeadlineReport> deadlines(int next) {
      return follow(at -> at.deadlines(next));
    }

    @Override
    public CompletableFuture<SchedulePage> scheduled(SchedulePlace after, int limit) {
      return follow(at -> at.scheduled(after, limit));
    }

    @Override
    public CompletableFuture<Long> removeScheduled(String messageId) {
      return follow(at -> at.removeScheduled(messageId));
    }
  }

  /** The same for what a virtual host asks. */
  private record Lifecycle(Queue queue, QueueLifecycle here) implements QueueLifecycle {
    private <T> CompletableFuture<T> follow(
        Function<QueueLifecycle, CompletableFuture<T>> request) {
      return ask(queue, at -> request.apply(at == queue ? here : at.lifecycle()));
    }

    @Override
    public void start() {
      here.start();
    }

    @Override
    public void rest() {
      here.rest();
    }

    @Override
    public void order(Arrivals arrivals) {
      here.order(arrivals);
    }

    @Override
    public void discard() {
      here.discard();
    }

    @Override
    public void abandon() {
      here.abandon();
    }

    @Override
    public CompletableFuture<DeclaredQueue> status(boolean renewsLease) {
      return follow(at -> at.status(renewsLease));
    }

    @Override
    public CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor) {
      return follow(at -> at.delete(ifUnused, ifEmpty, actor));
    }

    @Override
    public void keep(long deletedAtMillis) {
      here.keep(deletedAtMillis);
    }

    @Override
    public void forget() {
      here.forget();
    }

    @Override
    public CompletableFuture<Void> deleteWithVhost() {
      return here.deleteWithVhost();
    }

    @Override
    public void endWithParent() {
      here.endWithParent();
    }

    @Override
    public CompletableFuture<Void> moveTo(
        Queue successor, Supplier<CompletableFuture<Void>> change) {
      return here.moveTo(successor, change);
    }

    @Override
    public void awaitOutcome() {
      here.awaitOutcome();
    }

    @Override
    public void stay() {
      here.stay();
    }

    @Override
    public void leave(Queue successor) {
      here.leave(successor);
    }

    @Override
    public void arrive() {
      here.arrive();
    }
  }
}
