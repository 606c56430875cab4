package io.mayflymq.core.policy;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * A bounded cache of values, each of which is computed from its key alone. Ten thousand queues
 * often have the same arguments and the same policy: with this they share the objects that follow
 * from these. Each value has the one slot that its key's hash selects. Any thread may call; two
 * threads may compute the same value at once.
 *
 * @param <K> has {@code equals} and {@code hashCode}
 * @param <V> immutable
 */
public final class Interner<K, V> {
  private final AtomicReferenceArray<Made<K, V>> made;

  private record Made<K, V>(K key, V value) {}

  /**
   * Creates an empty cache.
   *
   * @param most the number of slots, a power of two
   */
  public Interner(int most) {
    made = new AtomicReferenceArray<>(most);
  }

  /** What was made from an equal key, or else what is made now. What the maker throws is thrown. */
  public V get(K key, Function<K, V> maker) {
    int hash = key.hashCode() * 0x9e3779b9;
    int place = (hash >>> 16) & (made.length() - 1);
    Made<K, V> found = made.get(place);
    if (found == null || !found.key.equals(key)) {
      found = new Made<>(key, maker.apply(key));
      made.set(place, found);
    }
    return found.value;
  }
}
