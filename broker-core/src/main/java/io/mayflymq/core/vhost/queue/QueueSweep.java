package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Slices;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Visits many queues, each on its own shard, in {@link Slices}. */
public final class QueueSweep {
  private final Shard shard;
  private final Consumer<Queue> work;
  private final List<Queue> queues = new ArrayList<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private Throwable failure;

  private QueueSweep(Shard shard, Consumer<Queue> work) {
    this.shard = shard;
    this.work = work;
  }

  /**
   * Begins a visit. Any thread may call.
   *
   * @param work is done within a burst of the queue's shard; also for a queue that has been deleted
   *     meanwhile
   * @return done when all have been visited; if the work failed for any, fails with the first
   *     failure
   */
  public static CompletableFuture<Void> of(Collection<Queue> queues, Consumer<Queue> work) {
    Map<Shard, QueueSweep> visits = new LinkedHashMap<>();
    for (Queue queue : queues) {
      visits.computeIfAbsent(queue.shard(), shard -> new QueueSweep(shard, work)).queues.add(queue);
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (QueueSweep visit : visits.values()) {
      all.add(visit.done);
      visit.shard.execute(visit::begin);
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  private void begin() {
    Slices.of(shard, queues, this::visit)
        .thenRun(
            () -> {
              if (failure == null) {
                done.complete(null);
              } else {
                done.completeExceptionally(failure);
              }
            });
  }

  private void visit(Queue queue) {
    try {
      work.accept(queue);
    } catch (Throwable e) {
      shard.faults().report("a visit of", queue, e);
      if (failure == null) {
        failure = e;
      }
    }
  }
}
