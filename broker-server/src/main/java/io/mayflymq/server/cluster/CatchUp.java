package io.mayflymq.server.cluster;

import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.PeriodicWork;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a node up to date. Any thread may call.
 *
 * <p>It proposes a change, its own address. Once that is in force here, all that came before it is.
 * Then it deletes the queues that ended with its earlier process. Only after that can its clients
 * change metadata, so that no queue of theirs is taken for one of that process.
 *
 * <p>Without a majority this is tried again and again. Meanwhile the node serves what it has.
 */
final class CatchUp {
  private static final Logger LOGGER = LoggerFactory.getLogger(CatchUp.class);
  private static final long RETRY_MILLIS = 1_000;

  private final ClusterMember self;
  private final ChangeOrdering changes;
  private final QueuesOfMember queues;
  private final PeriodicWork work;
  private final CompletableFuture<Void> firstTry = new CompletableFuture<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  /**
   * @param self this node, with the address that it has now
   */
  CatchUp(ClusterMember self, ChangeOrdering changes, QueuesOfMember queues, PeriodicWork work) {
    this.self = self;
    this.changes = changes;
    this.queues = queues;
    this.work = work;
  }

  /**
   * Starts.
   *
   * @return done when the node has caught up; fails when the first try has, and others follow
   */
  CompletableFuture<Void> start() {
    changes
        .propose(List.of(new MemberSet(self)), null)
        .thenCompose(announced -> queues.deleteTransient(self.number()))
        .whenComplete((deleted, failure) -> tried(failure));
    return firstTry;
  }

  /** Starts, and returns what is done when the node has caught up, after however many tries. */
  CompletableFuture<Void> startForGood() {
    start();
    return done;
  }

  private void tried(Throwable failure) {
    if (failure == null) {
      done.complete(null);
      if (!firstTry.complete(null)) {
        LOGGER.info("this node has caught up with the cluster");
      }
    } else {
      firstTry.completeExceptionally(Causes.of(failure));
      work.after("catching up with the cluster", RETRY_MILLIS, this::start);
    }
  }

  /** Returns whether the node has caught up. */
  boolean isDone() {
    return done.isDone();
  }

  /** Runs a task in its own thread when the node has caught up. */
  void whenDone(Runnable task) {
    done.thenRun(() -> work.soon("after catching up with the cluster", task));
  }
}
