package io.mayflymq.server.management.rebalance;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.rebalance.RebalancePlan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How far a plan has been carried out. Any thread may call. */
final class RebalanceProgress {
  private final RebalancePlan plan;
  private final Map<String, Integer> cameTo = new HashMap<>();
  private final Map<String, Integer> leftFrom = new HashMap<>();
  private final List<Map<String, Object>> failed = new ArrayList<>();
  private int moved;
  private boolean isOver;

  /** Begins with nothing done. */
  RebalanceProgress(RebalancePlan plan) {
    this.plan = plan;
  }

  /** Returns the progress when all of a plan is done. */
  static RebalanceProgress afterwards(RebalancePlan plan) {
    RebalanceProgress progress = new RebalanceProgress(plan);
    plan.steps().forEach(progress::moved);
    progress.end();
    return progress;
  }

  /** A queue was moved. */
  synchronized void moved(Step step) {
    moved++;
    cameTo.merge(step.node(), 1, Integer::sum);
    leftFrom.merge(step.queue().node(), 1, Integer::sum);
  }

  /** A queue was not moved. */
  synchronized void failed(Step step, String reason) {
    failed.add(
        Json.object("vhost", step.queue().vhost(), "name", step.queue().name(), "reason", reason));
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
    return Json.object(
        "running", !isOver,
        "planned", plan.steps().size(),
        "moved", moved,
        "failed", List.copyOf(failed),
        "nodes", plan.before().keySet().stream().map(this::json).toList());
  }

  private Map<String, Object> json(String node) {
    int here = cameTo.getOrDefault(node, 0);
    int queues = plan.before().get(node) + here - leftFrom.getOrDefault(node, 0);
    return Json.object("node", node, "queues", queues, "moved_here", here);
  }

  @Override
  public synchronized String toString() {
    return "%d of %d queues moved, %d not".formatted(moved, plan.steps().size(), failed.size());
  }
}
