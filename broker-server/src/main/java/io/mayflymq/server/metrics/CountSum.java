package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.metrics.PastCounts;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** A sum of counts at one moment, without rates. For one thread at a time. */
final class CountSum implements Counts {
  private final Map<Counter, Long> sums = new EnumMap<>(Counter.class);

  /** Adds counts. */
  void add(ToLongFunction<Counter> counts) {
    for (Counter counter : Counter.values()) {
      sums.merge(counter, counts.applyAsLong(counter), Long::sum);
    }
  }

  @Override
  public long get(Counter counter) {
    return sums.getOrDefault(counter, 0L);
  }

  @Override
  public double rate(Counter counter) {
    return 0;
  }

  @Override
  public PastCounts at(long[] nanos) {
    return PastCounts.sum(List.of(), nanos);
  }
}
