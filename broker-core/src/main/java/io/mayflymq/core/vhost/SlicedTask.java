package io.mayflymq.core.vhost;

import io.mayflymq.core.fault.Faults;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Much work for one queue, a slice at a time, with other work of its shard in between. */
final class SlicedTask<T> {
  private final Queue queue;
  private final BooleanSupplier step;
  private final Supplier<T> result;
  private final CompletableFuture<T> done = new CompletableFuture<>();

  private SlicedTask(Queue queue, BooleanSupplier step, Supplier<T> result) {
    this.queue = queue;
    this.step = step;
    this.result = result;
  }

  /**
   * Does the first slice at once, within a burst of the queue's shard, and the others later.
   *
   * @param step does a slice, and tells whether there is more to do
   * @param result asked for once there is not
   * @return the result; fails with 404 if the queue goes meanwhile
   */
  static <T> CompletableFuture<T> of(Queue queue, BooleanSupplier step, Supplier<T> result) {
    SlicedTask<T> slicedTask = new SlicedTask<>(queue, step, result);
    slicedTask.next();
    return slicedTask.done;
  }

  private void next() {
    try {
      queue.requireExists();
      if (step.getAsBoolean()) {
        queue.shard().executeLater(this::next);
      } else {
        done.complete(result.get());
      }
    } catch (Throwable e) {
      if (Faults.isFatal(e)) {
        queue.shard().faults().contained("work in slices for", queue, e);
      }
      done.completeExceptionally(e);
    }
  }
}
