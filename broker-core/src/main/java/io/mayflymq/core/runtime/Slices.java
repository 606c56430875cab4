package io.mayflymq.core.runtime;

import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Work for many things on one shard. It takes a slice of time and then lets others have their turn,
 * so that ten thousand things delay no delivery.
 */
public final class Slices<T> {
  /** How long a slice is, in ns. */
  static final long NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Shard shard;
  private final Iterator<T> left;
  private final Consumer<? super T> work;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  private Slices(Shard shard, Iterator<T> left, Consumer<? super T> work) {
    this.shard = shard;
    this.left = left;
    this.work = work;
  }

  /**
   * Does the first slice at once, and the others later. Within a burst of the shard.
   *
   * @param work is done for each, within a burst of the shard; what it throws is reported
   * @return done when all have had their turn
   */
  public static <T> CompletableFuture<Void> of(
      Shard shard, Iterable<T> all, Consumer<? super T> work) {
    Slices<T> slices = new Slices<>(shard, all.iterator(), work);
    slices.next();
    return slices.done;
  }

  private void next() {
    long end = shard.elapsedNanos() + NANOS;
    while (left.hasNext()) {
      T each = left.next();
      try {
        work.accept(each);
      } catch (Throwable e) {
        shard.faults().report("work in slices for", each, e);
      }
      if (shard.elapsedNanos() >= end && left.hasNext()) {
        shard.executeLater(this::next);
        return;
      }
    }
    done.complete(null);
  }
}
