package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldTable;
import io.vavr.collection.HashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The bindings of a headers exchange.
 *
 * <p>RabbitMQ tries the bindings one by one. So does this, as long as they are few compared to the
 * headers of the message. Of many bindings only those are tried that have a chance: a binding that
 * asks for several headers at once is found by one of them, that which the fewest other bindings
 * are found by. Those that are content with any of several headers are always tried.
 */
final class HeadersIndex<Q> implements BindingIndex<Q> {
  /** So many bindings for each header are tried one by one. */
  static final int FEW_PER_HEADER = 4;

  /**
   * A binding.
   *
   * @param key what it is found by; null if it is always tried
   */
  private record Entry<Q>(HeadersMatch match, Target<Q> target, HeaderKey key) {}

  private final HashMap<Binding, Entry<Q>> bindings;
  private final HashMap<HeaderKey, HashMap<Binding, Entry<Q>>> byKey;

  /** Those without a key. */
  private final HashMap<Binding, Entry<Q>> keyless;

  // Set late by the first message; an immutable list, so a race only computes it twice.
  private List<Entry<Q>> entries;

  private HeadersIndex(
      HashMap<Binding, Entry<Q>> bindings,
      HashMap<HeaderKey, HashMap<Binding, Entry<Q>>> byKey,
      HashMap<Binding, Entry<Q>> keyless) {
    this.bindings = bindings;
    this.byKey = byKey;
    this.keyless = keyless;
  }

  /** The index without a binding. */
  public static <Q> HeadersIndex<Q> empty() {
    return new HeadersIndex<>(HashMap.empty(), HashMap.empty(), HashMap.empty());
  }

  @Override
  public HeadersIndex<Q> with(Binding binding, Target<Q> target) {
    Entry<Q> present = bindings.getOrElse(binding, null);
    HeadersMatch match = present == null ? HeadersMatch.of(binding.arguments()) : present.match();
    HeaderKey key = present == null ? rarest(match.keys()) : present.key();
    Entry<Q> entry = new Entry<>(match, target, key);
    return key == null
        ? new HeadersIndex<>(bindings.put(binding, entry), byKey, keyless.put(binding, entry))
        : new HeadersIndex<>(
            bindings.put(binding, entry), byKey.put(key, at(key).put(binding, entry)), keyless);
  }

  private HeaderKey rarest(List<HeaderKey> keys) {
    HeaderKey rarest = null;
    int fewest = Integer.MAX_VALUE;
    for (HeaderKey key : keys) {
      int count = at(key).size();
      if (count < fewest) {
        rarest = key;
        fewest = count;
      }
    }
    return rarest;
  }

  private HashMap<Binding, Entry<Q>> at(HeaderKey key) {
    return byKey.getOrElse(key, HashMap.empty());
  }

  @Override
  public HeadersIndex<Q> without(Binding binding) {
    Entry<Q> present = bindings.getOrElse(binding, null);
    if (present == null) {
      return this;
    }
    HeaderKey key = present.key();
    if (key == null) {
      return new HeadersIndex<>(bindings.remove(binding), byKey, keyless.remove(binding));
    }
    HashMap<Binding, Entry<Q>> rest = at(key).remove(binding);
    return new HeadersIndex<>(
        bindings.remove(binding),
        rest.isEmpty() ? byKey.remove(key) : byKey.put(key, rest),
        keyless);
  }

  @Override
  public boolean contains(Binding binding) {
    return bindings.containsKey(binding);
  }

  @Override
  public boolean isEmpty() {
    return bindings.isEmpty();
  }

  @Override
  public void forEach(Consumer<? super Binding> action) {
    bindings.keysIterator().forEachRemaining(action);
  }

  @Override
  public Targets<Q> match(String routingKey, MessageProperties properties) {
    if (bindings.isEmpty()) {
      return Targets.none();
    }
    List<Target<Q>> matched = new ArrayList<>();
    FieldTable headers = properties.headers();
    for (Entry<Q> entry : candidates(headers)) {
      if (entry.match().matches(headers)) {
        matched.add(entry.target());
      }
    }
    return matched.isEmpty() ? Targets.none() : Targets.of(matched);
  }

  private List<Entry<Q>> candidates(FieldTable headers) {
    if (bindings.size() <= FEW_PER_HEADER * headers.size()) {
      return entries();
    }
    List<Entry<Q>> candidates = new ArrayList<>();
    keyless.valuesIterator().forEachRemaining(candidates::add);
    headers.forEach(
        (name, value) -> {
          at(HeaderKey.of(name, value)).valuesIterator().forEachRemaining(candidates::add);
          at(HeaderKey.ofAny(name)).valuesIterator().forEachRemaining(candidates::add);
        });
    return candidates;
  }

  /** Returns how many bindings are tried for a message with these headers. */
  int tried(FieldTable headers) {
    return candidates(headers).size();
  }

  private List<Entry<Q>> entries() {
    List<Entry<Q>> known = entries;
    if (known == null) {
      List<Entry<Q>> all = new ArrayList<>(bindings.size());
      bindings.valuesIterator().forEachRemaining(all::add);
      known = List.copyOf(all);
      entries = known;
    }
    return known;
  }

  @Override
  public boolean variesByMessage() {
    return true;
  }
}
