package io.mayflymq.server.management.rebalance;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which queues are to be moved so that no node has two more than another one: as few as possible.
 *
 * @param before how many of the queues each node has, by its name
 * @param steps the moves, in their order
 */
record RebalancePlan(Map<String, Integer> before, List<Step> steps) {
  /** A queue goes to a node. */
  record Step(PlacedQueue queue, String node) {}

  /**
   * Plans.
   *
   * @param nodes the names of those that can take queues; what is on other nodes stays there
   * @param queues the first ones of each node are the last to be moved
   */
  static RebalancePlan of(Collection<String> nodes, List<PlacedQueue> queues) {
    Map<String, Deque<PlacedQueue>> byNode = new TreeMap<>();
    nodes.forEach(node -> byNode.put(node, new ArrayDeque<>()));
    for (PlacedQueue queue : queues) {
      Deque<PlacedQueue> onNode = byNode.get(queue.node());
      if (onNode != null) {
        onNode.add(queue);
      }
    }
    Map<String, Integer> before = new TreeMap<>();
    byNode.forEach((node, onNode) -> before.put(node, onNode.size()));
    return new RebalancePlan(Collections.unmodifiableMap(before), steps(byNode));
  }

  /** From the node with the most to the one with the fewest, until they are nearly equal. */
  private static List<Step> steps(Map<String, Deque<PlacedQueue>> byNode) {
    if (byNode.isEmpty()) {
      return List.of();
    }
    Comparator<String> byCount = Comparator.comparingInt(node -> byNode.get(node).size());
    List<Step> steps = new ArrayList<>();
    String most = Collections.max(byNode.keySet(), byCount);
    String fewest = Collections.min(byNode.keySet(), byCount);
    while (byNode.get(most).size() - byNode.get(fewest).size() > 1) {
      PlacedQueue queue = byNode.get(most).removeLast();
      // At the beginning: it is not moved again.
      byNode.get(fewest).addFirst(queue);
      steps.add(new Step(queue, fewest));
      most = Collections.max(byNode.keySet(), byCount);
      fewest = Collections.min(byNode.keySet(), byCount);
    }
    return List.copyOf(steps);
  }
}
