package io.mayflymq.server.management.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.management.rebalance.RebalancePlan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RebalancePlanTest {
  private static List<PlacedQueue> queues(String... nodes) {
    List<PlacedQueue> queues = new ArrayList<>();
    for (String node : nodes) {
      queues.add(new PlacedQueue("/", "q" + queues.size(), node));
    }
    return queues;
  }

  @Test
  void queuesGoFromTheNodeWithTheMostToTheOneWithTheFewest() {
    List<PlacedQueue> queues = queues("a", "a", "a", "a", "b", "c");
    RebalancePlan plan = RebalancePlan.of(List.of("a", "b", "c"), queues);
    assertThat(plan.before()).isEqualTo(Map.of("a", 4, "b", 1, "c", 1));
    assertThat(plan.steps())
        .containsExactly(new Step(queues.get(3), "b"), new Step(queues.get(2), "c"));
  }

  @Test
  void nodesWithNearlyTheSameStayAsTheyAre() {
    assertThat(RebalancePlan.of(List.of("a", "b"), queues("a", "a", "b")).steps()).isEmpty();
  }

  @Test
  void queuesOfNodesThatAreLeftOutStay() {
    RebalancePlan plan = RebalancePlan.of(List.of("a", "b"), queues("c", "c", "c", "c", "a"));
    assertThat(plan.before()).isEqualTo(Map.of("a", 1, "b", 0));
    assertThat(plan.steps()).isEmpty();
  }

  @Test
  void oneNodeOrNoneHasNothingToMove() {
    assertThat(RebalancePlan.of(List.of("a"), queues("a", "a", "a")).steps()).isEmpty();
    assertThat(RebalancePlan.of(List.of(), queues("a")).steps()).isEmpty();
  }

  @Property
  void nodesAreEvenWithAsFewMovesAsThereCanBe(
      @ForAll @Size(max = 60) List<@IntRange(max = 4) Integer> places,
      @ForAll @IntRange(min = 1, max = 5) int count) {
    List<String> nodes = List.of("n0", "n1", "n2", "n3", "n4").subList(0, count);
    List<PlacedQueue> queues =
        queues(places.stream().map(place -> "n" + place).toArray(String[]::new));
    Map<PlacedQueue, String> at = new HashMap<>();
    queues.forEach(queue -> at.put(queue, queue.node()));
    Set<PlacedQueue> moved = new HashSet<>();

    RebalancePlan plan = RebalancePlan.of(nodes, queues);

    for (Step step : plan.steps()) {
      assertThat(nodes).contains(step.queue().node(), step.node());
      assertThat(at.put(step.queue(), step.node())).isNotEqualTo(step.node());
      assertThat(moved.add(step.queue())).as("%s is moved once", step.queue()).isTrue();
    }
    int all = plan.before().values().stream().mapToInt(each -> each).sum();
    int surplus = 0;
    for (String node : nodes) {
      long after = at.values().stream().filter(node::equals).count();
      assertThat(after).isBetween((long) all / count, (all + count - 1L) / count);
      surplus += Math.max(0, (int) (plan.before().get(node) - after));
    }
    assertThat(plan.steps()).hasSize(surplus);
  }
}
