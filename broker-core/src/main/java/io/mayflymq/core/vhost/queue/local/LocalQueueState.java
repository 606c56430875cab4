package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.deadletter.DeadLetterPublisher;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.LockedMessages;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueGate;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What the parts of a queue share. Belongs to the queue's shard. */
final class LocalQueueState {
  private final Queue queue;
  private final QueueMachine machine;
  private final LocalEnvironment environment;
  private final HiddenQueues hidden;
  private LockedMessages move;
  private boolean draining;
  private CompletableFuture<Void> deletion;
  private boolean deleted;
  private long skippedMillis;

  /** Null unless the queue is deleted and can be brought back. */
  private volatile KeptMessages kept;

  /** What came back with the queue after it was deleted; null if it never was. */
  private CompletableFuture<Restoration.Report> broughtBack;

  LocalQueueState(Queue queue, QueueMachine machine, LocalEnvironment environment) {
    this.queue = queue;
    this.machine = machine;
    this.environment = environment;
    this.hidden = new HiddenQueues(queue, machine, environment);
    tellSkipped(queue.shard().clockSkippedMillis());
  }

  Queue queue() {
    return queue;
  }

  QueueMachine machine() {
    return machine;
  }

  Shard shard() {
    return queue.shard();
  }

  /** Returns what time it is for the queue, whose lease knows then what time was skipped. */
  long now() {
    long skipped = queue.shard().skippedMillis();
    if (skipped > skippedMillis) {
      tellSkipped(skipped);
    }
    return queue.partition().now();
  }

  private void tellSkipped(long skipped) {
    skippedMillis = skipped;
    if (machine instanceof ClassicQueueMachine leased) {
      leased.skipped(skipped);
    }
  }

  /**
   * Serves a request on the queue's shard, now or when it is decided whether the queue serves. Any
   * thread may call.
   *
   * @return fails with {@link QueueGate.MovedException} if the queue has moved
   */
  <T> CompletableFuture<T> serve(Supplier<CompletableFuture<T>> request) {
    return queue
        .shard()
        .call(() -> queue.holdsRequests() ? queue.gate().serve(request) : request.get())
        .thenCompose(answer -> answer);
  }

  Partitions partitions() {
    return environment.partitions();
  }

  /** Returns what sends the dead letters of the queue's partition. */
  DeadLetterPublisher publisher() {
    return environment.publishers().of(queue.partition());
  }

  /** Returns the hidden queues beside the queue. */
  HiddenQueues hidden() {
    return hidden;
  }

  /** Returns what moves messages out of the queue, or did last; null if nothing ever did. */
  LockedMessages move() {
    return move;
  }

  void setMove(LockedMessages changed) {
    move = changed;
  }

  /** Records a use of the queue, for its lease. */
  void used(LeaseUse use) {
    if (machine instanceof ClassicQueueMachine leased) {
      leased.used(use, now());
    }
  }

  /**
   * Returns the queue as one from which messages are taken.
   *
   * @param method for the error
   * @throws io.mayflymq.protocol.types.ConnectionException 540 if it is a stream
   */
  ClassicQueueMachine requireSource(String method) {
    if (machine instanceof ClassicQueueMachine messages) {
      return messages;
    }
    throw queue.streamsLack(method);
  }

  // The end of the queue

  /** Sets whether messages are dead-lettered before the queue is deleted. */
  void setDraining(boolean changed) {
    draining = changed;
  }

  /**
   * Sets the deletion that is decided, so that no use of the queue cancels it any more; null if the
   * queue stays after all.
   */
  void setDeletion(CompletableFuture<Void> decided) {
    deletion = decided;
  }

  boolean isDeletionDecided() {
    return deletion != null;
  }

  /** Returns a future that is done when no deletion is decided, or it is over. */
  CompletableFuture<Void> deletionOver() {
    return deletion == null ? CompletableFuture.completedFuture(null) : deletion;
  }

  /** Notes that the queue is in no table any more. */
  void setDeleted() {
    deleted = true;
    queue.setDeleted(new DeletedQueue(queue, hidden, kept));
  }

  /** The queue is deleted, or about to be, and can be brought back. Any thread may call. */
  void setKept(KeptMessages messages) {
    kept = messages;
    environment.deleted().put(queue.id(), messages);
  }

  /** Returns what it has then; null if it cannot be brought back. Any thread may call. */
  KeptMessages kept() {
    return kept;
  }

  /** What it has then is given away, or gone, or another node's from now on. */
  void keptIsOver() {
    environment.deleted().remove(queue.id(), kept);
  }

  /** Sets what comes back with the queue after it was deleted. */
  void setBroughtBack(CompletableFuture<Restoration.Report> report) {
    broughtBack = report;
  }

  /** Returns it, done when all is back; null if it was never deleted. */
  CompletableFuture<Restoration.Report> broughtBack() {
    return broughtBack;
  }

  boolean isDeleted() {
    return deleted;
  }

  /** Returns whether the queue is about to be deleted, or is deleted. */
  boolean isLeaving() {
    return deleted || draining || deletion != null;
  }

  /** Returns whether the queue is neither deleted nor about to be for good. */
  boolean isThere() {
    return !deleted && deletion == null;
  }

  /**
   * Checks that the queue is there.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 404 if not
   */
  void requireExists() {
    if (!isThere()) {
      throw new Preconditions(queue.vhost().name()).noQueue(queue.name());
    }
  }
}
