package io.mayflymq.core.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The bindings of one exchange as a source, arranged so that the type of the exchange finds the
 * matching ones fast. Immutable: a change returns another index.
 */
interface BindingIndex<Q> {
  /** This index with a binding, or with another target for it if it is there already. */
  BindingIndex<Q> with(Binding binding, Target<Q> target);

  /** This index without a binding; this very index if it is not there. */
  BindingIndex<Q> without(Binding binding);

  boolean contains(Binding binding);

  boolean isEmpty();

  void forEach(Consumer<? super Binding> action);

  /** Where a message goes from here, alternate exchange aside. */
  Targets<Q> match(String routingKey, MessageProperties properties);

  /** Where a message with several routing keys goes. */
  default Targets<Q> match(List<String> routingKeys, MessageProperties properties) {
    List<Targets<Q>> parts = new ArrayList<>(routingKeys.size());
    for (String key : routingKeys) {
      parts.add(match(key, properties));
    }
    return Targets.union(parts);
  }

  /** What the exchange remembers, or null if it does not. */
  default RecentHistory history() {
    return null;
  }

  /** Whether messages with the same routing keys may go different ways. */
  default boolean variesByMessage() {
    return false;
  }
}
