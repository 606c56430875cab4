package io.mayflymq.server.management.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.management.resource.RebalancePlan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RebalancePlanTest {
  private static final List<String> NODES = List.of("n0", "n1", "n2", "n3", "n4");

  private static List<Placed> queues(String... nodes) {
    List<Placed> queues = new ArrayList<>();
    for (String node : nodes) {
      queues.add(
          new Placed(
              OptionalInt.empty(),
              List.of(new Placed.Queue("/", "q" + queues.size(), "classic")),
              node,
              Set.of("a", "b", "c", "n0", "n1", "n2", "n3", "n4")));
    }
    return queues;
  }

  private static Placed partition(int number, int queues, String leader, String... inSync) {
    return new Placed(
        OptionalInt.of(number),
        IntStream.range(0, queues)
            .mapToObj(i -> new Placed.Queue("/", "p%d.%d".formatted(number, i), "quorum"))
            .toList(),
        leader,
        Set.of(inSync));
  }

  private static Map<String, Integer> weights(RebalancePlan plan) {
    Map<String, Integer> weights = new HashMap<>();
    plan.before()
        .forEach((node, all) -> weights.put(node, all.stream().mapToInt(Placed::weight).sum()));
    return weights;
  }

  @Test
  void queuesGoFromTheNodeWithTheMostToTheOneWithTheFewest() {
    List<Placed> queues = queues("a", "a", "a", "a", "b", "c");
    RebalancePlan plan = RebalancePlan.of(List.of("a", "b", "c"), queues);
    assertThat(weights(plan)).isEqualTo(Map.of("a", 4, "b", 1, "c", 1));
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
    assertThat(weights(plan)).isEqualTo(Map.of("a", 1, "b", 0));
    assertThat(plan.steps()).isEmpty();
  }

  @Test
  void oneNodeOrNoneHasNothingToMove() {
    assertThat(RebalancePlan.of(List.of("a"), queues("a", "a", "a")).steps()).isEmpty();
    assertThat(RebalancePlan.of(List.of(), queues("a")).steps()).isEmpty();
  }

  @Test
  void partitionsAreLedByThoseInSyncOnly() {
    Placed first = partition(1, 3, "a", "a", "b");
    Placed second = partition(2, 3, "a", "a", "c");
    RebalancePlan plan =
        RebalancePlan.of(List.of("a", "b", "c"), List.of(first, second, partition(3, 9, "a", "a")));
    assertThat(plan.steps()).containsExactlyInAnyOrder(new Step(first, "b"), new Step(second, "c"));
  }

  @Test
  void partitionThatWouldOnlyExchangeTwoNodesStays() {
    Placed large = partition(1, 5, "a", "a", "b");
    assertThat(RebalancePlan.of(List.of("a", "b"), List.of(large)).steps()).isEmpty();

    Placed small = partition(2, 2, "a", "a", "b");
    assertThat(RebalancePlan.of(List.of("a", "b"), List.of(large, small)).steps())
        .containsExactly(new Step(large, "b"));
  }

  @Property
  void nodesAreEvenWithAsFewMovesAsThereCanBe(
      @ForAll @Size(max = 60) List<@IntRange(max = 4) Integer> places,
      @ForAll @IntRange(min = 1, max = 5) int count) {
    List<String> nodes = NODES.subList(0, count);
    List<Placed> queues = queues(places.stream().map(NODES::get).toArray(String[]::new));
    Map<Placed, String> at = new HashMap<>();
    queues.forEach(queue -> at.put(queue, queue.node()));

    RebalancePlan plan = RebalancePlan.of(nodes, queues);

    take(plan, nodes, at);
    int all = weights(plan).values().stream().mapToInt(each -> each).sum();
    int surplus = 0;
    for (String node : nodes) {
      long after = at.values().stream().filter(node::equals).count();
      assertThat(after).isBetween((long) all / count, (all + count - 1L) / count);
      surplus += Math.max(0, (int) (weights(plan).get(node) - after));
    }
    assertThat(plan.steps()).hasSize(surplus);
  }

  /** Numbers of queues, leaders and replicas are taken from random numbers. */
  @Property
  void noHandOverIsLeftThatMakesTwoNodesMoreAlike(
      @ForAll @Size(max = 30) List<@IntRange(max = 9_999) Integer> numbers) {
    List<Placed> all = new ArrayList<>();
    for (int number : numbers) {
      Set<String> replicas = new LinkedHashSet<>();
      IntStream.of(number % 5, number / 5 % 5, number / 25 % 5)
          .mapToObj(NODES::get)
          .forEach(replicas::add);
      all.add(
          partition(
              all.size(),
              1 + number / 125,
              replicas.iterator().next(),
              replicas.toArray(String[]::new)));
    }
    Map<Placed, String> at = new HashMap<>();
    all.forEach(placed -> at.put(placed, placed.node()));

    RebalancePlan plan = RebalancePlan.of(NODES, all);

    Set<Placed> moved = take(plan, NODES, at);
    Map<String, Integer> after = new HashMap<>();
    NODES.forEach(node -> after.put(node, 0));
    at.forEach((placed, node) -> after.merge(node, placed.weight(), Integer::sum));
    at.forEach(
        (placed, node) -> {
          if (!moved.contains(placed)) {
            for (String target : placed.targets()) {
              assertThat(after.get(node) - after.get(target)).isLessThanOrEqualTo(placed.weight());
            }
          }
        });
  }

  private static Set<Placed> take(RebalancePlan plan, List<String> nodes, Map<Placed, String> at) {
    Set<Placed> moved = new HashSet<>();
    for (Step step : plan.steps()) {
      assertThat(nodes).contains(step.placed().node(), step.node());
      assertThat(step.placed().targets()).contains(step.node());
      assertThat(at.put(step.placed(), step.node())).isNotEqualTo(step.node());
      assertThat(moved.add(step.placed())).as("%s is moved once", step.placed()).isTrue();
    }
    return moved;
  }
}
