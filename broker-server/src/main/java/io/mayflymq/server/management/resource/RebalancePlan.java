package io.mayflymq.server.management.resource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Where queues are to go so that nodes have equally many of them, as far as the queues can go
 * there.
 *
 * <p>Evens out the numbers of queues by steps, each of which makes two nodes more alike: so it
 * ends. The node with the most gives to the one with the fewest that takes something. Of what it
 * has, the largest goes that does not merely exchange the two: partitions have different numbers of
 * queues, and cannot be divided.
 *
 * @param before what is on each node, by its name
 * @param steps what goes, in order; nothing goes twice
 */
record RebalancePlan(Map<String, List<Placed>> before, List<Step> steps) {
  /** A queue, or a leadership, goes to a node. */
  record Step(Placed placed, String node) {}

  /**
   * Plans.
   *
   * @param nodes the names of those that can take queues; what is on other nodes stays there
   * @param all the first ones of each node are the last to go, of those with equally many queues
   */
  static RebalancePlan of(Collection<String> nodes, List<Placed> all) {
    Map<String, List<Placed>> before = new TreeMap<>();
    nodes.forEach(node -> before.put(node, new ArrayList<>()));
    for (Placed placed : all) {
      List<Placed> onNode = before.get(placed.node());
      if (onNode != null) {
        onNode.add(placed);
      }
    }
    return new RebalancePlan(before, new Planner(before).steps());
  }

  /** Finds the steps. */
  private static final class Planner {
    private final Map<String, Integer> weights = new TreeMap<>();

    /** What has not gone yet, the last ones first. */
    private final Map<String, Deque<Placed>> staying = new HashMap<>();

    Planner(Map<String, List<Placed>> before) {
      before.forEach(
          (node, all) -> {
            Deque<Placed> lastFirst = new ArrayDeque<>();
            all.forEach(lastFirst::addFirst);
            staying.put(node, lastFirst);
            weights.put(node, all.stream().mapToInt(Placed::weight).sum());
          });
    }

    List<Step> steps() {
      List<Step> steps = new ArrayList<>();
      for (Optional<Step> next = next(); next.isPresent(); next = next()) {
        Step step = next.get();
        weights.merge(step.placed().node(), -step.placed().weight(), Integer::sum);
        weights.merge(step.node(), step.placed().weight(), Integer::sum);
        steps.add(step);
      }
      return List.copyOf(steps);
    }

    private Optional<Step> next() {
      Comparator<String> byWeight = Comparator.comparing(weights::get);
      List<String> fewestFirst = weights.keySet().stream().sorted(byWeight).toList();
      List<String> mostFirst = weights.keySet().stream().sorted(byWeight.reversed()).toList();
      for (String from : mostFirst) {
        for (String to : fewestFirst) {
          Placed taken = take(from, to);
          if (taken != null) {
            return Optional.of(new Step(taken, to));
          }
        }
      }
      return Optional.empty();
    }

    /** Returns null if nothing that goes there makes the two more alike. */
    private Placed take(String from, String to) {
      int difference = weights.get(from) - weights.get(to);
      Deque<Placed> candidates = staying.get(from);
      Placed largest = null;
      for (Iterator<Placed> all = candidates.iterator(); difference > 1 && all.hasNext(); ) {
        Placed candidate = all.next();
        if (candidate.weight() < difference
            && (largest == null || candidate.weight() > largest.weight())
            && candidate.targets().contains(to)) {
          largest = candidate;
        }
      }
      if (largest != null) {
        candidates.remove(largest);
      }
      return largest;
    }
  }
}
