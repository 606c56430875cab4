package io.mayflymq.server.management.resource;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.resource.RebalancePlan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How far a plan has been carried out. Any thread may call. */
final class RebalanceProgress {
  private static final class OnNode {
    final Map<String, Integer> byType = new HashMap<>();
    int movedHere;

    void add(Placed placed, int sign) {
      placed.queues().forEach(queue -> byType.merge(queue.type(), sign, Integer::sum));
    }

    Map<String, Object> json(String node) {
      Map<String, Object> json =
          Json.object(
              "node", node,
              "queues", byType.values().stream().mapToInt(each -> each).sum(),
              "moved_here", movedHere);
      QueueSelection.TYPES.forEach(type -> json.put(type, byType.getOrDefault(type, 0)));
      return json;
    }
  }

  private final int planned;
  private final Map<String, OnNode> nodes = new TreeMap<>();
  private final List<Map<String, Object>> failed = new ArrayList<>();
  private int moved;
  private boolean isOver;

  /** Begins with nothing done. */
  RebalanceProgress(RebalancePlan plan) {
    this.planned = plan.steps().stream().mapToInt(step -> step.placed().weight()).sum();
    plan.before()
        .forEach(
            (node, all) -> {
              OnNode here = new OnNode();
              all.forEach(placed -> here.add(placed, 1));
              nodes.put(node, here);
            });
  }

  /** Returns the progress when all of a plan is done. */
  static RebalanceProgress afterwards(RebalancePlan plan) {
    RebalanceProgress progress = new RebalanceProgress(plan);
    plan.steps().forEach(progress::moved);
    progress.end();
    return progress;
  }

  /** A step was taken. */
  synchronized void moved(Step step) {
    Placed placed = step.placed();
    moved += placed.weight();
    nodes.get(placed.node()).add(placed, -1);
    nodes.get(step.node()).add(placed, 1);
    nodes.get(step.node()).movedHere += placed.weight();
  }

  /** A step could not be taken. */
  synchronized void failed(Step step, String reason) {
    for (Placed.Queue queue : step.placed().queues()) {
      failed.add(Json.object("vhost", queue.vhost(), "name", queue.name(), "reason", reason));
    }
  }

  /** Nothing more is done. */
  synchronized void end() {
    isOver = true;
  }

  synchronized boolean isOver() {
    return isOver;
  }

  /** Returns it as the API shows it. */
  synchronized Map<String, Object> json() {
    List<Map<String, Object>> shown = new ArrayList<>();
    nodes.forEach((node, here) -> shown.add(here.json(node)));
    return Json.object(
        "running", !isOver,
        "planned", planned,
        "moved", moved,
        "failed", List.copyOf(failed),
        "nodes", shown);
  }

  @Override
  public synchronized String toString() {
    return "%d of %d queues moved, %d not".formatted(moved, planned, failed.size());
  }
}
