package io.mayflymq.core.policy;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * Values that were made lately, each from a key that it alone follows from. Ten thousand queues as
 * a rule have the same arguments and the same policy: so they share what follows from these. Keeps
 * a bounded number, each in the one place that its key's hash names. Any thread may call; of two at
 * once both may make a value.
 *
 * @param <K> has {@code equals} and {@code hashCode}
 * @param <V> immutable
 */
public final class Interner<K, V> {
  private final AtomicReferenceArray<Made<K, V>> made;

  private record Made<K, V>(K key, V value) {}

  /**
   * Keeps none as yet.
   *
   * @param most a power of two
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
