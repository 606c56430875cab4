package io.mayflymq.core.routing.headers;

import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.index.BindingIndex;
import io.mayflymq.core.routing.route.MessageProperties;
import io.mayflymq.core.routing.route.Target;
import io.mayflymq.core.routing.route.Targets;
import io.vavr.collection.HashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The bindings of a headers exchange, which are tried one by one, as in RabbitMQ. */
public final class HeadersIndex<Q> implements BindingIndex<Q> {
  private record Entry<Q>(HeadersMatch match, Target<Q> target) {}

  private final HashMap<Binding, Entry<Q>> bindings;
  // Set late by the first message; an immutable list, so a race only computes it twice.
  private List<Entry<Q>> entries;

  private HeadersIndex(HashMap<Binding, Entry<Q>> bindings) {
    this.bindings = bindings;
  }

  /** The index without a binding. */
  public static <Q> HeadersIndex<Q> empty() {
    return new HeadersIndex<>(HashMap.empty());
  }

  @Override
  public HeadersIndex<Q> with(Binding binding, Target<Q> target) {
    HeadersMatch match = HeadersMatch.of(binding.arguments());
    return new HeadersIndex<>(bindings.put(binding, new Entry<>(match, target)));
  }

  @Override
  public HeadersIndex<Q> without(Binding binding) {
    return contains(binding) ? new HeadersIndex<>(bindings.remove(binding)) : this;
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
    var table = properties.headers();
    for (Entry<Q> entry : entries()) {
      if (entry.match().matches(table)) {
        matched.add(entry.target());
      }
    }
    return matched.isEmpty() ? Targets.none() : Targets.of(matched);
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
