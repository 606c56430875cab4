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

  /** Returns the destinations of a message, without the alternate exchange. */
  Targets<Q> match(String routingKey, MessageProperties properties);

  /** Returns the destinations of a message with several routing keys. */
  default Targets<Q> match(List<String> routingKeys, MessageProperties properties) {
    List<Targets<Q>> parts = new ArrayList<>(routingKeys.size());
    for (String key : routingKeys) {
      parts.add(match(key, properties));
    }
    return Targets.union(parts);
  }

  /** Returns the recent messages of the exchange, or null if it does not keep them. */
  default RecentHistory history() {
    return null;
  }

  /** Whether messages with the same routing keys may have different destinations. */
  default boolean variesByMessage() {
    return false;
  }
}
