package io.mayflymq.core.metrics;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What went through the exchanges of a virtual host. Publishers of every loop count for the same
 * exchange, so each has a cell for each shard, which only that shard's thread writes.
 */
public final class ExchangeCounters {
  private final int shards;
  private final ConcurrentHashMap<String, Cells> exchanges = new ConcurrentHashMap<>();

  private static final class Cells implements Counts {
    final Counters[] byShard;

    Cells(int shards) {
      byShard = new Counters[shards];
      Arrays.setAll(byShard, index -> new Counters());
    }

    @Override
    public long get(Counter counter) {
      return Arrays.stream(byShard).mapToLong(cell -> cell.get(counter)).sum();
    }

    @Override
    public double rate(Counter counter) {
      return Arrays.stream(byShard).mapToDouble(cell -> cell.rate(counter)).sum();
    }
  }

  ExchangeCounters(int shards) {
    this.shards = shards;
  }

  /** Where the publishers on a shard's loop count what they send to an exchange. */
  public Counters cell(String exchange, int shard) {
    return exchanges.computeIfAbsent(exchange, name -> new Cells(shards)).byShard[shard];
  }

  /** What went through an exchange so far; null if nothing did. */
  public Counts of(String exchange) {
    return exchanges.get(exchange);
  }

  /** The exchange is gone: another of the same name begins anew. */
  public void forget(String exchange) {
    exchanges.remove(exchange);
  }

  void sample(long nanos, long sincePreviousNanos) {
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
