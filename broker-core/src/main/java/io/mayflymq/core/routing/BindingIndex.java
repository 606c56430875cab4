package io.mayflymq.core.routing;

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
  Targets<Q> match(String routingKey, MessageHeaders headers);

  /** Whether {@link #match} looks at the headers. */
  default boolean readsHeaders() {
    return false;
  }
}
