package io.mayflymq.server.management.cluster;

import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.management.json.QueueFields;
import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Numbers of queues of this node, by which they are sorted. Any thread may call.
 *
 * <p>To read a number of very many queues costs a few accesses to memory for each, far apart;
 * further numbers of the same queue cost next to nothing. So all numbers that lists can be sorted
 * by are read at once, and kept for a time in proportion to what that cost: who sorts a list by one
 * column, and then by the next, waits for the first one only. A fiftieth of a core is used at most,
 * as for an order that is kept. They are given up if memory is needed.
 */
final class QueueNumbers {
  private static final long CHEAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int TIMES_THEIR_COST = 50;

  /** Of more queues only what is asked for is read. */
  private static final int MOST_QUEUES = 250_000;

  /** Of a queue that is deleted, or of another node. */
  private static final long UNKNOWN = Long.MIN_VALUE;

  private final LongSupplier nanos;
  private final Consumer<CompletableFuture<?>> wait;
  private volatile SoftReference<Numbers> latest = new SoftReference<>(null);

  private record Numbers(List<Queue> queues, Map<String, long[]> columns, long until) {}

  /**
   * Creates it.
   *
   * @param nanos the system's nanosecond clock
   * @param wait waits for shards
   */
  QueueNumbers(LongSupplier nanos, Consumer<CompletableFuture<?>> wait) {
    this.nanos = nanos;
    this.wait = wait;
  }

  /**
   * Tells the numbers of queues.
   *
   * @param queues a list that does not change; numbers are used again only for this one
   * @param here the places of those of this node
   * @param field a number of {@link QueueFields#numbers}
   * @param keys gets them at the same places; left as it is for a queue that is deleted
   */
  void tell(List<Queue> queues, List<Integer> here, String field, Object[] keys) {
    Numbers known = latest.get();
    if (known == null
        || known.queues != queues
        || !known.columns.containsKey(field)
        || nanos.getAsLong() - known.until >= 0) {
      known = read(queues, here, field);
    }
    long[] column = known.columns.get(field);
    for (int i : here) {
      if (column[i] != UNKNOWN) {
        keys[i] = column[i];
      }
    }
  }

  private Numbers read(List<Queue> queues, List<Integer> here, String field) {
    Map<String, ToLongFunction<QueueSizes>> numbers = QueueFields.numbers();
    Map<String, long[]> columns = new HashMap<>();
    (queues.size() > MOST_QUEUES ? List.of(field) : numbers.keySet())
        .forEach(name -> columns.put(name, new long[queues.size()]));
    List<ToLongFunction<QueueSizes>> reads = columns.keySet().stream().map(numbers::get).toList();
    List<long[]> into = List.copyOf(columns.values());
    long began = nanos.getAsLong();
    wait.accept(
        ShardQuery.collect(
            here,
            i -> queues.get(i).shard(),
            i -> {
              QueueSizes sizes = QueueSnapshot.sizes(queues.get(i));
              for (int each = 0; each < reads.size(); each++) {
                into.get(each)[i] = sizes == null ? UNKNOWN : reads.get(each).applyAsLong(sizes);
              }
              return null;
            }));
    long cost = nanos.getAsLong() - began;
    Numbers read = new Numbers(queues, columns, began + cost + cost * TIMES_THEIR_COST);
    if (cost > CHEAP_NANOS) {
      latest = new SoftReference<>(read);
    }
    return read;
  }
}
