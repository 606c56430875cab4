package io.mayflymq.core.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts messages through the exchanges of a virtual host. Publishers on every event loop count for
 * the same exchange, so each exchange has a cell for each shard, which only that shard's thread
 * writes.
 */
public final class ExchangeCounters {
  private final int shards;

  /** When the first sample was taken: an exchange of which there are no counts had none. */
  private volatile long beginNanos = PastCounts.NO_SAMPLE;

  private final ConcurrentHashMap<String, Cells> exchanges = new ConcurrentHashMap<>();

  /** The counts of deleted exchanges. Guarded by this object. */
  private final Counters departed = new Counters();

  private static final class Cells implements Counts {
    final Counters[] byShard;

    /**
     * @param beginNanos since when nothing was counted before
     */
    Cells(int shards, long beginNanos) {
      byShard = new Counters[shards];
      Arrays.setAll(byShard, index -> new Counters());
      for (Counters cell : byShard) {
        cell.beginAt(beginNanos);
      }
    }

    @Override
    public long get(Counter counter) {
      return Arrays.stream(byShard).mapToLong(cell -> cell.get(counter)).sum();
    }

    @Override
    public double rate(Counter counter) {
      return Arrays.stream(byShard).mapToDouble(cell -> cell.rate(counter)).sum();
    }

    @Override
    public PastCounts at(long[] nanos) {
      return PastCounts.sum(List.of(byShard), nanos);
    }
  }

  ExchangeCounters(int shards) {
    this.shards = shards;
  }

  /** Returns the counters for publishes to an exchange on a shard's event loop. */
  public Counters cell(String exchange, int shard) {
    return exchanges.computeIfAbsent(exchange, name -> new Cells(shards, beginNanos))
        .byShard[shard];
  }

  /** Returns the counts of an exchange so far; null if there are none. */
  public Counts of(String exchange) {
    return exchanges.get(exchange);
  }

  /** Returns how often it happened at all exchanges, with those that were deleted. */
  public synchronized long total(Counter counter) {
    return departed.get(counter)
        + exchanges.values().stream().mapToLong(cells -> cells.get(counter)).sum();
  }

  /** Removes a deleted exchange: another one of the same name starts at 0. */
  public synchronized void forget(String exchange) {
    Cells removed = exchanges.remove(exchange);
    if (removed != null) {
      for (Counter counter : Counter.values()) {
        departed.add(counter, removed.get(counter));
      }
    }
  }

  void forgetHistory() {
    beginNanos = PastCounts.NO_SAMPLE;
    for (Cells cells : exchanges.values()) {
      for (Counters cell : cells.byShard) {
        cell.forgetHistory();
      }
    }
  }

  void sample(long nanos, long sincePreviousNanos) {
    if (beginNanos == PastCounts.NO_SAMPLE) {
      beginNanos = nanos;
    }
    exchanges
        .values()
        .forEach(
            cells -> {
              for (Counters cell : cells.byShard) {
                cell.sample(nanos, sincePreviousNanos);
              }
            });
  }
}
