package io.mayflymq.bench;

import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * Routing keys in random order, the same in every run, taken one after the other, over and over.
 */
final class RoutingKeys {
  private static final int COUNT = 4096;

  private final String[] keys = new String[COUNT];
  private int at;

  /**
   * Creates the keys.
   *
   * @param bound how many different ones there may be
   */
  RoutingKeys(int bound, IntFunction<String> key) {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < COUNT; i++) {
      keys[i] = key.apply(random.nextInt(bound));
    }
  }

  String first() {
    return keys[0];
  }

  String next() {
    return keys[at++ & (COUNT - 1)];
  }
}
