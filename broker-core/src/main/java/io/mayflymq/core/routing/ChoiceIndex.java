package io.mayflymq.core.routing;

import io.vavr.collection.HashMap;
import java.util.List;
import java.util.function.Consumer;

/** The bindings of an exchange that sends each message to one of them. */
final class ChoiceIndex<Q> implements BindingIndex<Q> {
  /** So many changes are kept in any case. */
  private static final int FEW_CHANGES = 64;

  private final Choice choice;
  private final HashMap<Binding, Target<Q>> bindings;

  /** What the candidates are made from. */
  private final Candidates<Q> earlier;

  /** The bindings that have changed since; null if it is better to make them anew. */
  private final io.vavr.collection.List<Binding> changes;

  // Set late by the first message; an immutable value, so a race only computes it twice.
  private Candidates<Q> candidates;

  private ChoiceIndex(
      Choice choice,
      HashMap<Binding, Target<Q>> bindings,
      Candidates<Q> earlier,
      io.vavr.collection.List<Binding> changes) {
    this.choice = choice;
    this.bindings = bindings;
    this.earlier = earlier;
    this.changes = changes;
  }

  /** The index without a binding of an exchange that chooses so. */
  public static <Q> ChoiceIndex<Q> empty(Choice choice) {
    return new ChoiceIndex<>(
        choice, HashMap.empty(), Candidates.none(), io.vavr.collection.List.empty());
  }

  @Override
  public ChoiceIndex<Q> with(Binding binding, Target<Q> target) {
    return changed(binding, bindings.put(binding, target));
  }

  @Override
  public ChoiceIndex<Q> without(Binding binding) {
    return contains(binding) ? changed(binding, bindings.remove(binding)) : this;
  }

  private ChoiceIndex<Q> changed(Binding binding, HashMap<Binding, Target<Q>> next) {
    Candidates<Q> known = candidates;
    if (known != null) {
      return new ChoiceIndex<>(choice, next, known, io.vavr.collection.List.of(binding));
    }
    boolean many = changes == null || changes.size() >= Math.max(FEW_CHANGES, earlier.size());
    return many
        ? new ChoiceIndex<>(choice, next, Candidates.none(), null)
        : new ChoiceIndex<>(choice, next, earlier, changes.prepend(binding));
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
    return bindings.isEmpty() ? Targets.none() : candidates().choose(routingKey, properties);
  }

  /** Chooses one destination for all keys, by the first one, which is the message's routing key. */
  @Override
  public Targets<Q> match(List<String> routingKeys, MessageProperties properties) {
    return match(routingKeys.get(0), properties);
  }

  @Override
  public boolean variesByMessage() {
    return choice.variesByMessage();
  }

  private Candidates<Q> candidates() {
    Candidates<Q> known = candidates;
    if (known == null) {
      known = earlier.with(changes == null ? bindings.keySet() : changes, bindings, choice);
      candidates = known;
    }
    return known;
  }
}
