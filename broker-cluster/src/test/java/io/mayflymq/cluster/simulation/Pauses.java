package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.PauseTtl;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueuePause;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.VhostPolicies;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Operators pause queues and let them go on. A node with which a pause is in force hands out
 * nothing of the queue, also when it begins to lead, or starts again.
 *
 * <p>On a node a pause is in force for sure when the node has told its operator so, or has nothing
 * left to do that was agreed upon; until its end is asked for on any node. An end of which it is
 * not known what became may come into force at any later time: from then on nothing is sure for the
 * queue.
 */
final class Pauses {
  private static final List<Pause> ALL = List.of(Pause.values());
  private static final List<Counter> HANDED_OUT =
      List.of(Counter.DELIVERED, Counter.DELIVERED_NO_ACK, Counter.GOT, Counter.GOT_NO_ACK);

  private final SimulatedCluster cluster;
  private final Map<String, Known> queues = new TreeMap<>();

  /** What is known of the queues of a name. */
  private static final class Known {
    /** How many changes were asked for that let messages go, and are not in force for sure. */
    int releases;

    /**
     * Who was asked for changes and has not answered. It lets its own queues know last, when other
     * nodes do or have been waited for.
     */
    final List<NodeProcess> asked = new ArrayList<>();

    /** The nodes on which nothing is handed out for sure. */
    final Set<Integer> nodes = new TreeSet<>();

    /** How many messages each queue had handed out when that was sure. */
    final Map<Queue, Long> handedOut = new HashMap<>();

    void begin(NodeProcess at, String queue) {
      if (releases == 0 && holdsDeliveries(at, queue) && nodes.add(at.node().number())) {
        look(at, queue);
      }
    }

    void end() {
      nodes.clear();
      handedOut.clear();
    }

    /** A queue of which nothing is known yet has begun here when the pause was in force. */
    void look(NodeProcess at, String name) {
      Queue here = here(at, name);
      if (here != null) {
        handedOut.put(here, handedOut(here));
      }
    }
  }

  Pauses(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  // What operators do

  /** Pauses the queues of a name. Returns whether the time of their messages stands still. */
  boolean pause(String queue, Random random) {
    Pause pause = ALL.get(random.nextInt(ALL.size()));
    PauseTtl ttl = pause.ofDeliveries() && random.nextBoolean() ? PauseTtl.STOP : null;
    change(
        queue,
        pause.ofDeliveries(),
        random,
        policies -> policies.set(QueuePause.of(queue, pause, ttl)));
    return ttl != null;
  }

  void resume(String queue, Random random) {
    change(
        queue,
        false,
        random,
        policies -> policies.clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(queue)));
  }

  @FunctionalInterface
  private interface Change {
    CompletableFuture<?> ask(VhostPolicies policies);
  }

  /** The home of the queue is asked, or any node, as a replicated one has none. */
  private void change(String queue, boolean holds, Random random, Change change) {
    List<NodeProcess> running = cluster.processes();
    if (running.isEmpty()) {
      return;
    }
    NodeProcess asked =
        running.stream()
            .filter(each -> each.queue(queue) != null && each.queue(queue).isLocal())
            .findFirst()
            .orElse(running.get(random.nextInt(running.size())));
    Known known = queues.computeIfAbsent(queue, first -> new Known());
    if (!holds) {
      known.releases++;
      known.end();
    }
    known.asked.add(asked);
    change
        .ask(asked.vhost().policies())
        .whenComplete(
            (done, failure) -> {
              known.asked.remove(asked);
              if (failure == null && !holds) {
                known.releases--;
              } else if (failure == null && asked.isRunning()) {
                known.begin(asked, queue);
              }
            });
  }

  // What must hold

  /** Everything has happened that can: what all have agreed upon is in force where it is known. */
  void settled() {
    queues.forEach(
        (queue, known) ->
            cluster.processes().stream()
                .filter(each -> !each.node().isFrozen() && each.hasCaughtUp())
                .filter(each -> !known.asked.contains(each))
                .filter(each -> each.applied() == cluster.log().size())
                .filter(each -> each.reached(each.applied() - 1).isDone())
                .forEach(each -> known.begin(each, queue)));
  }

  /** No paused queue has handed out anything. */
  void check() {
    queues.forEach(
        (name, known) ->
            cluster.processes().stream()
                .filter(process -> known.nodes.contains(process.node().number()))
                .forEach(process -> check(process, name, known)));
  }

  private static void check(NodeProcess process, String name, Known known) {
    Queue here = here(process, name);
    if (here != null) {
      assertThat(handedOut(here))
          .as("handed out by %s on node %d, which is paused", here, process.node().number())
          .isEqualTo(known.handedOut.computeIfAbsent(here, first -> 0L));
    }
  }

  /** Returns a queue if its work is done there; null if not. */
  private static Queue here(NodeProcess at, String name) {
    Queue queue = at.queue(name);
    return queue == null ? null : queue.here().orElse(null);
  }

  private static long handedOut(Queue queue) {
    return HANDED_OUT.stream().mapToLong(counter -> queue.counters().get(counter)).sum();
  }

  private static boolean holdsDeliveries(NodeProcess at, String queue) {
    Pause pause = inForce(at, queue);
    return pause != null && pause.ofDeliveries();
  }

  /** Returns what waits by the policies that are in force on a node; null if nothing does. */
  private static Pause inForce(NodeProcess at, String queue) {
    Policy policy =
        at.vhost().policies().table().policy(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(queue));
    return policy == null
        ? null
        : EnumNames.constant(Pause.class, String.valueOf(policy.definition().get(PolicyKey.PAUSE)))
            .orElseThrow();
  }

  // The end

  /** All nodes are well, and agree what is paused; nothing comes out of that. Then all goes on. */
  void endAll(Random random) {
    cluster.settle(random);
    check();
    NodeProcess first = cluster.processes().get(0);
    for (String queue : queues.keySet()) {
      Pause pause = inForce(first, queue);
      for (NodeProcess process : cluster.processes()) {
        String where = "%s on node %d".formatted(queue, process.node().number());
        assertThat(inForce(process, queue)).as("pause of %s", where).isEqualTo(pause);
        Queue known = process.queue(queue);
        assertThat(known == null ? pause : known.settings().pace().pause())
            .as("pause of %s, as its publishers see it", where)
            .isEqualTo(pause);
      }
      if (pause != null && pause.ofDeliveries() && first.queue(queue) != null) {
        assertPaused(first.queue(queue), random);
      }
    }
    for (String queue : queues.keySet()) {
      CompletableFuture<Boolean> cleared =
          first.vhost().policies().clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(queue));
      cluster.settle(random);
      assertThat(cleared).as("end of the pause of %s", queue).isCompleted();
    }
    queues.clear();
  }

  private void assertPaused(Queue queue, Random random) {
    CompletableFuture<GetResult> got = queue.requests().fetch(true, LeaseUse.GET);
    CompletableFuture<DeclaredQueue> status = queue.lifecycle().status(false);
    cluster.settle(random);
    assertThat(got).as("got of %s, which is paused", queue).isCompletedWithValue(null);
    if (!queue.settings().pace().stopsTtl()
        && queue.settings().expiry().messageTtlMillis() != QueueSettings.NONE
        && queue.settings().expiry().messageTtlMillis() < FaultInjector.HEALING_MILLIS) {
      assertThat(status.join().messages()).as("time goes on in %s", queue).isZero();
    }
  }
}
