package io.mayflymq.it.cluster.fault;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;

import io.mayflymq.it.harness.SystemCommand;
import io.mayflymq.it.harness.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What may happen to the nodes of a bench. */
public final class Faults {
  private static final int BOTH_ONE_OF = 5;
  private static final String SLOW_FORCES = "inject=fsync,fdatasync:delay_enter=250000";
  private static final int FLAP_MILLIS = 400;
  private static final String SLOW = "tbf rate 1mbit burst 4kb latency 400ms";
  private static final int MOST_MINUTES = 10;
  private static final String LOSSY = "netem delay 40ms 20ms loss 3%";

  private final FaultBench bench;
  private final List<IntFunction<Fault>> ofNetwork = new ArrayList<>();
  private final List<IntFunction<Fault>> ofNode = new ArrayList<>();
  private final List<String> unavailable = new ArrayList<>();

  /** Finds out which faults this machine can have, and prints which ones it cannot, and why. */
  public static Faults reported(FaultBench bench) {
    Faults faults = new Faults(bench);
    faults.unavailable.forEach(reason -> System.out.println("a fault is left out: " + reason));
    return faults;
  }

  private Faults(FaultBench bench) {
    this.bench = bench;
    ofNode.addAll(
        List.of(this::killed, this::allKilled, this::restarted, this::stopped, this::diskFull));
    ofNetwork.addAll(
        List.of(
            node -> cut(node, next(node)),
            node -> cutOneWay(node, next(node)),
            node -> cutOneWay(next(node), node),
            this::isolated,
            this::unplugged,
            this::deaf,
            node -> flapping(node, next(node))));
    String untraced = SystemCommand.run("strace", "-e", "trace=fsync", "true").refusal();
    if (untraced == null) {
      ofNode.add(this::diskSlow);
    } else {
      unavailable.add(untraced);
    }
    String noClock = bench.clock(0).refusal();
    if (noClock == null) {
      ofNode.add(node -> clockSet(node, Duration.ofMinutes(MOST_MINUTES)));
      ofNode.add(node -> clockSet(node, Duration.ofMinutes(-MOST_MINUTES)));
    } else {
      unavailable.add(noClock);
    }
    addShaped("slow link", SLOW);
    addShaped("lossy link", LOSSY);
  }

  private void addShaped(String name, String discipline) {
    String refusal = bench.network().shape(0, discipline);
    if (refusal == null) {
      bench.network().unshape(0);
      ofNetwork.add(node -> shaped(name, node, discipline));
    } else {
      unavailable.add(refusal);
    }
  }

  /**
   * Returns a fault of any kind and node, or one of the network and one of a process or disk.
   *
   * @return in the order in which they are to be injected, and to be undone
   */
  List<Fault> any(Random random) {
    return any(random, () -> random.nextInt(NODES));
  }

  /**
   * Returns a fault of any kind, or one of the network and one of a process or disk.
   *
   * @param node says which node is at fault; in a fault of a link, that to the next node is
   * @return in the order in which they are to be injected, and to be undone
   */
  public List<Fault> any(Random random, IntSupplier node) {
    boolean both = random.nextInt(BOTH_ONE_OF) == 0;
    boolean network = random.nextBoolean();
    List<Fault> chosen = new ArrayList<>();
    if (both || network) {
      chosen.add(any(ofNetwork, random, node));
    }
    if (both || !network) {
      chosen.add(any(ofNode, random, node));
    }
    return chosen;
  }

  private static Fault any(List<IntFunction<Fault>> kinds, Random random, IntSupplier node) {
    return kinds.get(random.nextInt(kinds.size())).apply(node.getAsInt());
  }

  private static int next(int node) {
    return (node + 1) % NODES;
  }

  private static String link(int from, int to) {
    return "node%d and node%d".formatted(from, to);
  }

  /** A node ends by SIGKILL. */
  Fault killed(int node) {
    return new Fault("kill -9 of node" + node, () -> bench.kill(node), () -> bench.restart(node))
        .leavesAlone(Set.of(node));
  }

  /** All nodes end by SIGKILL, this one first. */
  Fault allKilled(int first) {
    return new Fault(
            "kill -9 of all nodes, node" + first + " first",
            () -> {
              for (int i = 0; i < NODES; i++) {
                bench.kill((first + i) % NODES);
              }
            },
            bench::restartAll)
        .leavesAlone(IntStream.range(0, NODES).boxed().collect(Collectors.toSet()));
  }

  /** A node ends in order. */
  Fault restarted(int node) {
    return new Fault(
            "orderly end of node" + node, () -> bench.node(node).stop(), () -> bench.restart(node))
        .leavesAlone(Set.of(node));
  }

  /** A node's process stands still. */
  Fault stopped(int node) {
    return new Fault(
            "SIGSTOP of node" + node,
            () -> bench.node(node).signal("STOP"),
            () -> bench.node(node).signal("CONT"))
        .leavesAlone(Set.of(node));
  }

  /** The link between two nodes loses what is sent from one of them to the other. */
  Fault cutOneWay(int from, int to) {
    return new Fault(
        "cut from node%d to node%d".formatted(from, to),
        () -> bench.network().cut(from, to),
        () -> bench.network().mend(from, to));
  }

  /** Two nodes do not hear one another; a third one hears both. */
  Fault cut(int one, int other) {
    return new Fault(
        "cut between " + link(one, other), () -> cutBoth(one, other), () -> mendBoth(one, other));
  }

  private void cutBoth(int one, int other) {
    bench.network().cut(one, other);
    bench.network().cut(other, one);
  }

  private void mendBoth(int one, int other) {
    bench.network().mend(one, other);
    bench.network().mend(other, one);
  }

  /** The nodes are halved: one is separated from the others, and its clients reach it. */
  Fault isolated(int node) {
    return new Fault(
            "node%d apart from the others".formatted(node),
            () -> eachOther(node, this::cutBoth),
            () -> eachOther(node, this::mendBoth))
        .leavesAlone(Set.of(node));
  }

  /** A node hears none of the others, and they hear it. */
  Fault deaf(int node) {
    return new Fault(
            "node%d does not hear the others".formatted(node),
            () -> eachOther(node, (self, other) -> bench.network().cut(other, self)),
            () -> eachOther(node, (self, other) -> bench.network().mend(other, self)))
        .leavesAlone(Set.of(node));
  }

  private interface Pair {
    void with(int node, int other);
  }

  private static void eachOther(int node, Pair pair) {
    for (int i = 1; i < NODES; i++) {
      pair.with(node, (node + i) % NODES);
    }
  }

  /** Neither clients nor nodes reach a node. */
  Fault unplugged(int node) {
    return new Fault(
            "node%d without network".formatted(node),
            () -> bench.network().unplug(node),
            () -> bench.network().plug(node))
        .leavesAlone(Set.of(node));
  }

  /** A link is cut and mended many times. */
  Fault flapping(int one, int other) {
    AtomicBoolean ended = new AtomicBoolean();
    Thread thread =
        new Thread(
            () -> {
              while (!ended.get()) {
                cutBoth(one, other);
                Time.pass(FLAP_MILLIS);
                mendBoth(one, other);
                Time.pass(FLAP_MILLIS);
              }
            },
            "flapping");
    return new Fault(
        "link that is cut and mended between " + link(one, other),
        thread::start,
        () -> {
          ended.set(true);
          thread.join();
        });
  }

  /** What a node sends is subject to a queueing discipline of the kernel. */
  private Fault shaped(String name, int node, String discipline) {
    return new Fault(
        "%s of node%d (%s)".formatted(name, node, discipline),
        () -> {
          String refusal = bench.network().shape(node, discipline);
          if (refusal != null) {
            throw new AssertionError(refusal);
          }
        },
        () -> bench.network().unshape(node));
  }

  /** A node's clock jumps by so much, and back. */
  Fault clockSet(int node, Duration by) {
    return new Fault(
        "clock of node%d set by %d minutes".formatted(node, by.toMinutes()),
        () -> bench.clock(node).set(by),
        () -> bench.clock(node).set(bench.usualClock(node)),
        line -> false,
        Set.of(),
        true);
  }

  /** There is no space on a node's disk. */
  Fault diskFull(int node) {
    Path[] filler = new Path[1];
    return new Fault(
        "full disk of node" + node,
        () -> filler[0] = bench.disk(node).fill(),
        () -> {
          Files.delete(filler[0]);
          // A node that cannot write the cluster's log ends.
          bench.restartAll();
        },
        line -> line.contains("No space left") || line.contains("has ended: so does the process"),
        Set.of(node),
        false);
  }

  /** Each forced write of a node takes a quarter of a second longer. */
  Fault diskSlow(int node) {
    Process[] tracer = new Process[1];
    return new Fault(
        "slow disk of node" + node,
        () ->
            tracer[0] =
                new ProcessBuilder(
                        "strace",
                        "-f",
                        "-qq",
                        "-p",
                        Long.toString(bench.node(node).pid()),
                        "-e",
                        "trace=fsync,fdatasync",
                        "-e",
                        SLOW_FORCES)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start(),
        () -> {
          tracer[0].destroy();
          tracer[0].waitFor();
        });
  }
}
