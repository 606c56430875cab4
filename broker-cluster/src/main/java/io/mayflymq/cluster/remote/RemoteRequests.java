package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
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
import io.mayflymq.core.vhost.queue.ConsumerExit;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContentsCodec;
import io.mayflymq.core.vhost.queue.QueuePage;
import io.mayflymq.core.vhost.queue.QueueRequests;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Requests to a queue of another node, from any thread. */
final class RemoteRequests implements QueueRequests {
  private final Queue queue;
  private final QueueLink link;
  private final Supplier<QueueSettings> settings;
  private final Counters counters = new Counters();

  /**
   * Creates them.
   *
   * @param settings the effective settings, for any thread
   */
  RemoteRequests(Queue queue, QueueLink link, Supplier<QueueSettings> settings) {
    this.queue = queue;
    this.link = link;
    this.settings = settings;
  }

  /** Asks the home node. Any thread may call. */
  <T> CompletableFuture<T> ask(
      RequestKind kind,
      java.util.function.Consumer<ByteWriter> write,
      Function<ByteReader, T> read) {
    return ask(new LinkRequest<>(queue, kind, write, read));
  }

  /** The same. */
  <T> CompletableFuture<T> ask(LinkRequest<T> request) {
    return queue.shard().call(() -> askNow(request)).thenCompose(answer -> answer);
  }

  private <T> CompletableFuture<T> askNow(LinkRequest<T> request) {
    link.ask(request);
    return request.answer();
  }

  @Override
  public QueueSettings settings() {
    return settings.get();
  }

  /** Those that are counted on the home node are not known here. */
  @Override
  public Counters counters() {
    return counters;
  }

  @Override
  public CompletableFuture<Void> subscribe(Consumer consumer, Runnable admitted) {
    return queue.shard().call(() -> subscribeNow(consumer, admitted)).thenCompose(answer -> answer);
  }

  private CompletableFuture<Void> subscribeNow(Consumer consumer, Runnable admitted) {
    // Known at once, so that it can be cancelled while the request waits for a connection.
    RemoteConsumer added = link.consumers().add(queue, consumer);
    LinkRequest<Void> request =
        new LinkRequest<Void>(
                queue,
                RequestKind.SUBSCRIBE,
                out -> link.consumers().writeSubscription(added, out),
                in -> {
                  link.consumers().joined(added, in);
                  admitted.run();
                  if (added.hasMoved()) {
                    consumer.outlet().moved(consumer);
                  }
                  return null;
                })
            .joining(added);
    CompletableFuture<Void> answer = askNow(request);
    answer.exceptionally(
        failure -> {
          if (request.isGivenUp()) {
            // It may join nevertheless: then it leaves, and what was sent to it goes back.
            added.setStopped(CompletableFuture.completedFuture(null));
            added.setCancelled();
            leave(added, new CompletableFuture<>());
          } else {
            link.consumers().remove(added);
          }
          return null;
        });
    return answer;
  }

  @Override
  public CompletableFuture<Void> stop(Consumer consumer) {
    return queue
        .shard()
        .call(
            () -> {
              RemoteConsumer known = link.consumers().of(consumer);
              return known == null || known.isCancelled()
                  ? CompletableFuture.<Void>completedFuture(null)
                  : stopNow(known);
            })
        .thenCompose(stopped -> stopped);
  }

  private CompletableFuture<Void> stopNow(RemoteConsumer known) {
    return ConsumerExit.isOrdered(queue, known.consumer())
        ? link.consumers().stop(known)
        : CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> cancel(Consumer consumer) {
    return queue.shard().call(() -> cancelNow(consumer)).thenCompose(answer -> answer);
  }

  /** One that is not known was cancelled before, or with its node. */
  private CompletableFuture<Void> cancelNow(Consumer consumer) {
    RemoteConsumer known = link.consumers().of(consumer);
    if (known == null || known.isCancelled()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> stopped = stopNow(known);
    known.setCancelled();
    CompletableFuture<Void> done = new CompletableFuture<>();
    stopped.whenComplete((nothing, failure) -> leave(known, done));
    // It gets no more then, whenever its queue knows.
    done.thenRun(() -> known.setStopped(CompletableFuture.completedFuture(null)));
    link.completeInTime(done);
    return done;
  }

  private void leave(RemoteConsumer known, CompletableFuture<Void> done) {
    askNow(
            new LinkRequest<>(
                queue, RequestKind.CANCEL, out -> out.number(known.number()), in -> null))
        .whenComplete(
            (answer, failure) -> {
              // A consumer goes with its connection, too.
              link.consumers().left(known);
              done.complete(null);
            });
    // Behind the cancellation, or it would come again.
    link.consumers().putBack(known);
  }

  @Override
  public void used(LeaseUse use) {
    if (settings().lease().counts(use)) {
      ask(RequestKind.USED, out -> out.text(use.name()), in -> null);
    }
  }

  /** To a node of an earlier release the request is a fault. */
  @Override
  public void locksRenewed(long count) {
    if (queue.vhost().countsRenewals()) {
      ask(RequestKind.LOCKS_RENEWED, out -> out.number(count), in -> null);
    }
  }

  @Override
  public CompletableFuture<GetResult> fetch(boolean acknowledges, LeaseUse use) {
    return ask(
        new LinkRequest<>(
                queue,
                RequestKind.FETCH,
                out -> out.bit(acknowledges).text(use.name()),
                this::fetched)
            .orIfLate(this::fetchedLate));
  }

  /** The message is not waited for any more: it goes back. */
  private void fetchedLate(ByteReader in) {
    long sequence = in.bit() ? in.signed() : -1;
    if (sequence >= 0) {
      link.consumers().putBackFetched(queue, sequence);
    }
  }

  private GetResult fetched(ByteReader in) {
    if (!in.bit()) {
      return null;
    }
    long sequence = link.consumers().here(in.signed());
    boolean redelivered = in.bit();
    long remaining = in.number();
    MessageCodec messages = new MessageCodec();
    return new GetResult(sequence, messages.read(in), redelivered, remaining);
  }

  @Override
  public CompletableFuture<Long> purge() {
    return ask(RequestKind.PURGE, out -> {}, ByteReader::number);
  }

  @Override
  public CompletableFuture<Long> purge(MessageChoice choice, boolean onlyCounts, String user) {
    return atHome("a purge of some messages", here -> here.purge(choice, onlyCounts, user));
  }

  @Override
  public CompletableFuture<Restoration.Report> restore(Restoration.Choice choice) {
    return atHome("bringing messages back", here -> here.restore(choice));
  }

  @Override
  public CompletableFuture<Restoration.Report> broughtBack() {
    return atHome("what came back", QueueRequests::broughtBack);
  }

  private <T> CompletableFuture<T> atHome(
      String what, Function<QueueRequests, CompletableFuture<T>> request) {
    return queue
        .here()
        .map(here -> request.apply(here.requests()))
        .orElseGet(
            () -> CompletableFuture.failedFuture(OwnerErrors.onlyAtHome(what, queue, link.node())));
  }

  @Override
  public CompletableFuture<QueuePage> browse(long position, int count, long bytes) {
    return ask(
        RequestKind.BROWSE,
        out -> out.number(position).number(count).number(bytes),
        QueueContentsCodec::readPage);
  }

  @Override
  public CompletableFuture<DeadlineReport> deadlines(int next) {
    return queue
        .here()
        .map(here -> here.requests().deadlines(next))
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    OwnerErrors.onlyAtHome("the report of deadlines", queue, link.node())));
  }

  @Override
  public CompletableFuture<SchedulePage> scheduled(SchedulePlace after, int limit) {
    return queue
        .here()
        .map(here -> here.requests().scheduled(after, limit))
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    OwnerErrors.onlyAtHome("the list of scheduled messages", queue, link.node())));
  }

  @Override
  public CompletableFuture<Long> removeScheduled(String messageId) {
    return ask(
        RequestKind.REMOVE_SCHEDULED, out -> out.optionalText(messageId), ByteReader::number);
  }
}
