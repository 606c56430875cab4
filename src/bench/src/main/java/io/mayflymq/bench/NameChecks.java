package io.mayflymq.bench;

import com.github.benmanes.caffeine.cache.Cache;
import io.mayflymq.core.runtime.BoundedCaches;
import io.mayflymq.core.security.NamePattern;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** A permission's pattern and a name: the check of each publish, by two kinds of cache. */
public class NameChecks extends Measured {
  private static final int MOST = 1024;

  @Param({"1", "50", "1000"})
  int names;

  private NamePattern pattern;
  private Cache<String, Boolean> cache;
  private RoutingKeys keys;

  /** Makes the names and checks each once. */
  @Setup
  public void make() {
    pattern = NamePattern.of("^orders\\..*-[0-9]+$");
    cache = BoundedCaches.of(MOST);
    keys = new RoutingKeys(names, i -> "orders.region-" + i);
  }

  /** By the pattern itself, which remembers its results. */
  @Benchmark
  public boolean pattern() {
    return pattern.matches(keys.next());
  }

  /** By a cache that several threads could share. */
  @Benchmark
  public boolean sharedCache() {
    return cache.get(keys.next(), pattern::matches);
  }
}
