package io.mayflymq.core.routing;

import io.vavr.collection.HashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Bindings that always match together, and the destinations they have in common. Immutable. */
final class BindingBucket<Q> {
  private final HashMap<Binding, Target<Q>> bindings;
  // Set late by the first message; an immutable value, so a race only computes it twice.
  private Targets<Q> targets;

  private BindingBucket(HashMap<Binding, Target<Q>> bindings) {
    this.bindings = bindings;
  }

  /** The bucket without a binding. */
  public static <Q> BindingBucket<Q> empty() {
    return new BindingBucket<>(HashMap.empty());
  }

  /** The bucket of one binding. */
  public static <Q> BindingBucket<Q> of(Binding binding, Target<Q> target) {
    return new BindingBucket<>(HashMap.of(binding, target));
  }

  /** This bucket with a binding, or with another target for it if it is there already. */
  public BindingBucket<Q> with(Binding binding, Target<Q> target) {
    return new BindingBucket<>(bindings.put(binding, target));
  }

  /** This bucket without a binding; this very bucket if it is not there. */
  public BindingBucket<Q> without(Binding binding) {
    return contains(binding) ? new BindingBucket<>(bindings.remove(binding)) : this;
  }

  public boolean contains(Binding binding) {
    return bindings.containsKey(binding);
  }

  public boolean isEmpty() {
    return bindings.isEmpty();
  }

  public void forEach(Consumer<? super Binding> action) {
    bindings.keysIterator().forEachRemaining(action);
  }

  /** The destinations of all its bindings, each once. */
  public Targets<Q> targets() {
    Targets<Q> known = targets;
    if (known == null) {
      List<Target<Q>> all = new ArrayList<>(bindings.size());
      bindings.valuesIterator().forEachRemaining(all::add);
      known = Targets.of(all);
      targets = known;
    }
    return known;
  }
}
