package io.mayflymq.core.routing;

import io.vavr.collection.HashMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The bindings among which an exchange chooses, in order, and the chooser. Immutable. They are not
 * made anew when bindings change: the others are copied, which takes thousands of them a few
 * microseconds, where sorting them would take as many milliseconds.
 */
final class Candidates<Q> {
  /** Bindings that are alike by it are few; those that are equal are. */
  private static final Comparator<Binding> PLACE =
      Comparator.comparing(Binding::destinationKind)
          .thenComparing(Binding::destination)
          .thenComparing(Binding::routingKey)
          .thenComparingInt(binding -> binding.arguments().hashCode());

  private static final Comparator<Binding> AT_ONE_PLACE =
      Comparator.comparing(binding -> binding.arguments().toString());

  private static final Candidates<Object> NONE =
      new Candidates<>(List.of(), List.of(), List.of(), null);

  private final List<Binding> bindings;
  private final List<Targets<Q>> targets;
  private final List<Choice.Lot> lots;
  private final Choice.Chooser chooser;

  private Candidates(
      List<Binding> bindings,
      List<Targets<Q>> targets,
      List<Choice.Lot> lots,
      Choice.Chooser chooser) {
    this.bindings = bindings;
    this.targets = targets;
    this.lots = lots;
    this.chooser = chooser;
  }

  /** No candidate, so nothing can be chosen. */
  @SuppressWarnings("unchecked") // it holds no Q
  static <Q> Candidates<Q> none() {
    return (Candidates<Q>) NONE;
  }

  int size() {
    return bindings.size();
  }

  /** Returns the destination of a message. */
  Targets<Q> choose(String routingKey, MessageProperties properties) {
    return targets.get(chooser.choose(routingKey, properties));
  }

  /**
   * Returns the candidates after changes.
   *
   * @param changed bindings that were added, removed or have another target, in any order
   * @param present all bindings that are there now, at least one
   * @param choice prepares the chooser
   */
  Candidates<Q> with(
      Iterable<Binding> changed, HashMap<Binding, Target<Q>> present, Choice choice) {
    TreeMap<Binding, Set<Binding>> places = new TreeMap<>(PLACE);
    changed.forEach(
        binding -> places.computeIfAbsent(binding, place -> new HashSet<>(2)).add(binding));
    Builder next = new Builder(present.size());
    int copied = 0;
    for (Set<Binding> atPlace : places.values()) {
      Binding any = atPlace.iterator().next();
      int begin = firstAt(any);
      int end = begin;
      while (end < bindings.size() && PLACE.compare(bindings.get(end), any) == 0) {
        atPlace.add(bindings.get(end++));
      }
      next.copy(copied, begin);
      copied = end;
      atPlace.stream()
          .filter(present::containsKey)
          .sorted(AT_ONE_PLACE)
          .forEach(binding -> next.add(binding, present.get(binding).get(), choice));
    }
    next.copy(copied, bindings.size());
    return new Candidates<>(next.bindings, next.targets, next.lots, choice.among(next.lots));
  }

  /** Returns where the first binding at a place is, or would be. */
  private int firstAt(Binding binding) {
    int low = 0;
    int high = bindings.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (PLACE.compare(bindings.get(middle), binding) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private final class Builder {
    final List<Binding> bindings;
    final List<Targets<Q>> targets;
    final List<Choice.Lot> lots;

    Builder(int count) {
      bindings = new ArrayList<>(count);
      targets = new ArrayList<>(count);
      lots = new ArrayList<>(count);
    }

    void copy(int from, int to) {
      bindings.addAll(Candidates.this.bindings.subList(from, to));
      targets.addAll(Candidates.this.targets.subList(from, to));
      lots.addAll(Candidates.this.lots.subList(from, to));
    }

    void add(Binding binding, Target<Q> target, Choice choice) {
      bindings.add(binding);
      targets.add(Targets.of(List.of(target)));
      lots.add(choice.lot(binding));
    }
  }
}
