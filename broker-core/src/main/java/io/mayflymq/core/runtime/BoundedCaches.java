package io.mayflymq.core.runtime;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Makes caches that hold a bounded number of entries. The entries that were used often or lately
 * stay, so a flood of new keys does not displace them. Any thread may use such a cache. Evictions
 * are the work of the thread that adds an entry, so a cache needs no thread of its own.
 *
 * <p>A look-up costs tens of nanoseconds, and an empty cache 1.4 KB: the caches that are used for
 * each message are simpler ones, of one thread or of one pattern.
 */
public final class BoundedCaches {
  private BoundedCaches() {}

  /**
   * Returns an empty cache. What a function throws that computes a value is thrown to the caller,
   * and nothing is kept.
   *
   * @param <K> has {@code equals} and {@code hashCode}
   * @param <V> immutable
   * @param most the largest number of entries; it may be exceeded for the time of an addition
   */
  public static <K, V> Cache<K, V> of(int most) {
    // The default executor is the common pool, whose threads are not the broker's.
    return Caffeine.newBuilder().maximumSize(most).executor(Runnable::run).build();
  }
}
