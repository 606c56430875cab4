package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Cache;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BoundedCachesTest {
  @Test
  void equalKeysShareAValueAndDifferentKeysDoNot() {
    Cache<Integer, String> cache = BoundedCaches.of(4);
    AtomicInteger made = new AtomicInteger();
    for (int round = 0; round < 3; round++) {
      for (int key = 0; key < 100; key++) {
        assertThat(cache.get(key, k -> k + " by " + made.incrementAndGet()))
            .startsWith(key + " by ");
      }
    }
    assertThat(made.get()).isGreaterThan(200);
    String last = cache.get(99, k -> "again");
    assertThat(cache.get(99, k -> "once more")).isSameAs(last);
  }

  @Test
  void cacheKeepsToItsLimitWithoutAnotherThread() {
    Cache<Integer, Integer> cache = BoundedCaches.of(10);
    for (int key = 0; key < 10_000; key++) {
      cache.put(key, key);
    }
    assertThat(cache.asMap()).hasSizeLessThanOrEqualTo(10);
  }

  @Test
  void frequentlyUsedKeyIsNotDisplacedByManyOthers() {
    Cache<Integer, String> cache = BoundedCaches.of(100);
    String kept = cache.get(-1, key -> "kept");
    for (int key = 0; key < 10_000; key++) {
      assertThat(cache.get(key, any -> "other")).isEqualTo("other");
      assertThat(cache.get(-1, any -> "made again")).isSameAs(kept);
    }
  }

  @Test
  void failedLoadAddsNoEntryToTheCache() {
    Cache<String, String> cache = BoundedCaches.of(4);
    assertThatThrownBy(
            () ->
                cache.get(
                    "key",
                    key -> {
                      throw new IllegalStateException("no value");
                    }))
        .hasMessage("no value");
    assertThat(cache.get("key", key -> "value")).isEqualTo("value");
  }
}
