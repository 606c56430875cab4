package io.mayflymq.core.metrics;

import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Reads many objects that belong to shards, each on its own shard, and collects the results.
 *
 * <p>A hundred thousand queues are read in slices: after SLICE of them, or a millisecond, the
 * shard's other work gets its turn, so a listing delays no delivery by more than a fraction of a
 * millisecond. All shards work at the same time. The result is no snapshot: each object is read at
 * a different moment.
 */
public final class ShardQuery {
  /** How many objects are read in one slice. */
  static final int SLICE = 256;

  /** The longest time of a slice, which is looked at after so many objects. */
  private static final long SLICE_NANOS = 1_000_000;

  private static final int BETWEEN_LOOKS_AT_THE_CLOCK = 16;

  private ShardQuery() {}

  /**
   * Reads objects. Any thread may call.
   *
   * @param things the objects
   * @param home returns the shard of an object
   * @param look runs on the shard's thread, within a burst; null leaves the object out, such as one
   *     that has been deleted meanwhile
   * @return done when all have been looked at, in no particular order; fails if {@code look} does;
   *     never done if the broker stops meanwhile
   */
  public static <T, V> CompletableFuture<List<V>> collect(
      Collection<? extends T> things,
      Function<? super T, Shard> home,
      Function<? super T, ? extends V> look) {
    List<SlicedTask<T, V>> all = begin(things, home, look);
    return CompletableFuture.allOf(
            all.stream().map(slicedTask -> slicedTask.done).toArray(CompletableFuture<?>[]::new))
        .thenApply(
            nothing -> {
              List<V> views = new ArrayList<>(things.size());
              all.forEach(slicedTask -> views.addAll(slicedTask.done.join()));
              return views;
            });
  }

  private static <T, V> List<SlicedTask<T, V>> begin(
      Collection<? extends T> things,
      Function<? super T, Shard> home,
      Function<? super T, ? extends V> look) {
    Map<Shard, List<T>> byShard = new LinkedHashMap<>();
    for (T thing : things) {
      Shard shard = home.apply(thing);
      List<T> local = byShard.get(shard);
      if (local == null) {
        local = new ArrayList<>();
        byShard.put(shard, local);
      }
      local.add(thing);
    }
    List<SlicedTask<T, V>> all = new ArrayList<>(byShard.size());
    byShard.forEach(
        (shard, local) -> {
          SlicedTask<T, V> slicedTask = new SlicedTask<>(shard, local, look);
          all.add(slicedTask);
          shard.execute(slicedTask);
        });
    return all;
  }

  /**
   * The results of the shards that answered in time.
   *
   * @param complete whether all shards answered
   */
  public record Seen<V>(List<V> views, boolean complete) {}

  /**
   * The same, without the shards that do not answer.
   *
   * @param millis how long the shards may take
   */
  public static <T, V> CompletableFuture<Seen<V>> collectWithin(
      long millis,
      Collection<? extends T> things,
      Function<? super T, Shard> home,
      Function<? super T, ? extends V> look) {
    List<SlicedTask<T, V>> all = begin(things, home, look);
    List<CompletableFuture<List<V>>> answers =
        all.stream()
            .map(
                slicedTask ->
                    slicedTask.done.copy().completeOnTimeout(null, millis, TimeUnit.MILLISECONDS))
            .toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            nothing -> {
              List<V> views = new ArrayList<>(things.size());
              boolean complete = true;
              for (CompletableFuture<List<V>> answer : answers) {
                complete &= answer.join() != null;
                views.addAll(answer.join() == null ? List.of() : answer.join());
              }
              return new Seen<>(views, complete);
            });
  }

  /** The objects to read on one shard. */
  private static final class SlicedTask<T, V> implements Runnable {
    private final Shard shard;
    private final List<T> things;
    private final Function<? super T, ? extends V> look;
    private final List<V> seen;
    private final CompletableFuture<List<V>> done = new CompletableFuture<>();
    private int next;

    SlicedTask(Shard shard, List<T> things, Function<? super T, ? extends V> look) {
      this.shard = shard;
      this.things = things;
      this.look = look;
      this.seen = new ArrayList<>(things.size());
    }

    @Override
    public void run() {
      try {
        int end = Math.min(things.size(), next + SLICE);
        long stopNanos = shard.elapsedNanos() + SLICE_NANOS;
        do {
          int stop = Math.min(end, next + BETWEEN_LOOKS_AT_THE_CLOCK);
          for (; next < stop; next++) {
            V view = look.apply(things.get(next));
            if (view != null) {
              seen.add(view);
            }
          }
        } while (next < end && shard.elapsedNanos() < stopNanos);
      } catch (RuntimeException e) {
        done.completeExceptionally(e);
        return;
      }
      if (next < things.size()) {
        shard.executeLater(this);
      } else {
        done.complete(seen);
      }
    }
  }
}
