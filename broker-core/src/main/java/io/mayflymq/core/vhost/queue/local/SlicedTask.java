package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueGate;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Much work for one queue, a slice at a time, with other work of its shard in between. */
final class SlicedTask<T> implements QueueGate.Held<Queue> {
  private final LocalQueueState state;
  private final BooleanSupplier step;
  private final Supplier<T> result;
  private final CompletableFuture<T> done = new CompletableFuture<>();

  private SlicedTask(LocalQueueState state, BooleanSupplier step, Supplier<T> result) {
    this.state = state;
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
  static <T> CompletableFuture<T> of(
      LocalQueueState state, BooleanSupplier step, Supplier<T> result) {
    SlicedTask<T> slicedTask = new SlicedTask<>(state, step, result);
    slicedTask.next();
    return slicedTask.done;
  }

  private void next() {
    if (state.queue().holdsRequests()) {
      state.queue().gate().hold(this);
      return;
    }
    try {
      state.requireExists();
      if (step.getAsBoolean()) {
        state.shard().executeLater(this::next);
      } else {
        done.complete(result.get());
      }
    } catch (Throwable e) {
      if (Faults.isFatal(e)) {
        state.shard().faults().report("work in slices for", state.queue(), e);
      }
      done.completeExceptionally(e);
    }
  }

  @Override
  public void proceed() {
    next();
  }

  @Override
  public void follow(Queue successor) {
    done.completeExceptionally(new QueueGate.MovedException());
  }
}
