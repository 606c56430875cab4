package io.mayflymq.core.routing.choice;

import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.index.BindingIndex;
import io.mayflymq.core.routing.route.MessageProperties;
import io.mayflymq.core.routing.route.Target;
import io.mayflymq.core.routing.route.Targets;
import io.vavr.collection.HashMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** The bindings of an exchange that sends each message to one of them. */
public final class ChoiceIndex<Q> implements BindingIndex<Q> {
  private static final Comparator<Binding> ORDER =
      Comparator.comparing(Binding::destinationKind)
          .thenComparing(Binding::destination)
          .thenComparing(Binding::routingKey)
          .thenComparing(binding -> binding.arguments().toString());

  /** The bindings in order, their destinations, and the chooser. */
  private record Candidates<Q>(List<Targets<Q>> targets, Choice.Chooser chooser) {}

  private final Choice choice;
  private final HashMap<Binding, Target<Q>> bindings;
  // Set late by the first message; an immutable value, so a race only computes it twice.
  private Candidates<Q> candidates;

  private ChoiceIndex(Choice choice, HashMap<Binding, Target<Q>> bindings) {
    this.choice = choice;
    this.bindings = bindings;
  }

  /** The index without a binding of an exchange that chooses so. */
  public static <Q> ChoiceIndex<Q> empty(Choice choice) {
    return new ChoiceIndex<>(choice, HashMap.empty());
  }

  @Override
  public ChoiceIndex<Q> with(Binding binding, Target<Q> target) {
    return new ChoiceIndex<>(choice, bindings.put(binding, target));
  }

  @Override
  public ChoiceIndex<Q> without(Binding binding) {
    return contains(binding) ? new ChoiceIndex<>(choice, bindings.remove(binding)) : this;
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
    Candidates<Q> known = candidates();
    return known.targets().get(known.chooser().choose(routingKey, properties));
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
      List<Binding> sorted = new ArrayList<>(bindings.size());
      forEach(sorted::add);
      sorted.sort(ORDER);
      known =
          new Candidates<>(
              sorted.stream()
                  .map(binding -> Targets.of(List.of(bindings.get(binding).get())))
                  .toList(),
              choice.among(sorted));
      candidates = known;
    }
    return known;
  }
}
