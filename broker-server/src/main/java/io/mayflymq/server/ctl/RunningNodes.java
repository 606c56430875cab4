package io.mayflymq.server.ctl;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * How many nodes of a cluster run.
 *
 * @param running how many can be reached
 * @param all how many members there are
 */
record RunningNodes(int running, int all) {

  /**
   * Waits until the nodes are as wanted, or the time is over.
   *
   * @param seconds how long
   * @return how they are then
   */
  public static RunningNodes await(
      Invocation invocation, long seconds, Predicate<RunningNodes> wanted) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    RunningNodes now = read(invocation);
    while (!wanted.test(now) && System.nanoTime() - end < 0) {
      LookingAgain.pause();
      now = read(invocation);
    }
    return now;
  }

  private static RunningNodes read(Invocation invocation) {
    List<Map<String, Object>> nodes = invocation.api().list("nodes?columns=name,running");
    return new RunningNodes(
        (int) nodes.stream().filter(node -> Boolean.TRUE.equals(node.get("running"))).count(),
        nodes.size());
  }

  /** Returns whether the others would still be a majority if one of those that run was stopped. */
  public boolean canLoseOne() {
    return 2 * (running - 1) > all;
  }
}
