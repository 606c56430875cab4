package io.mayflymq.it.harness;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/*
 * Each node has a network namespace with one interface, eth0, whose other end is a port of a bridge. The tests are in the namespace of the
 * machine, and reach the nodes by the bridge's own address.
 *
 * What a node sends to another one is lost by a wrong hardware address for it in the node's table of neighbours: the bridge delivers it to every port,
 * and each drops it. No packet is refused, so both ends see what they would with a cable cut, and no filter of packets has to be installed.
 *
 * All names have the prefix mayfly, the id of the test's process, and a letter for each network of the process, as its tests run at the same time. What a process has
 * left that was killed is removed by the next one.
 */
/**
 * A network of its own for each node, in which links can be cut. Needs Linux, root and iproute2.
 */
public final class NodeNetwork implements AutoCloseable {
  private static final String PREFIX = "mayfly";
  private static final Pattern NAME = Pattern.compile("\\b" + PREFIX + "(\\d+)[a-z]\\d*\\b");
  private static final int LETTERS = 26;
  private static final AtomicInteger NETWORKS = new AtomicInteger();
  private static final String NO_HARDWARE = "02:00:00:00:00:00";
  private static final int BRIDGE_HOST = 254;

  private final long process = ProcessHandle.current().pid();
  private final int number = NETWORKS.getAndIncrement();
  private final String bridge = PREFIX + process + (char) ('a' + number % LETTERS);
  private final int nodes;
  private final Map<String, Integer> cuts = new HashMap<>();

  private NodeNetwork(int nodes) {
    this.nodes = nodes;
  }

  /** Creates one; the test is skipped with the reason if that is not permitted. */
  public static NodeNetwork create(int nodes) {
    removeLeftovers();
    NodeNetwork network = new NodeNetwork(nodes);
    String refusal = network.build();
    if (refusal != null) {
      network.close();
    }
    Assumptions.assumeTrue(
        refusal == null, () -> "nodes cannot have networks of their own: " + refusal);
    return network;
  }

  /** Returns what has failed; null if all is built. */
  private String build() {
    List<String> commands = new ArrayList<>();
    commands.add("ip link add " + bridge + " type bridge");
    commands.add("ip address add %s/24 dev %s".formatted(host(BRIDGE_HOST), bridge));
    commands.add("ip link set " + bridge + " up");
    for (int node = 0; node < nodes; node++) {
      String name = name(node);
      commands.add("ip netns add " + name);
      commands.add("ip link add %s type veth peer name eth0 netns %s".formatted(name, name));
      commands.add("ip link set %s master %s up".formatted(name, bridge));
      commands.add("ip -n %s address add %s/24 dev eth0".formatted(name, address(node)));
      commands.add("ip -n %s link set lo up".formatted(name));
      commands.add("ip -n %s link set eth0 up".formatted(name));
    }
    for (String command : commands) {
      String refusal = run(command).refusal();
      if (refusal != null) {
        return refusal;
      }
    }
    return null;
  }

  private static SystemCommand.Outcome run(String command) {
    return SystemCommand.run(command.split(" "));
  }

  private String host(int host) {
    // Tests that run at the same time have different networks.
    long subnet = process + 257L * number;
    return "10.%d.%d.%d".formatted(64 + ((subnet >> 8) & 63), subnet & 255, host);
  }

  /** The namespace, and the interface in the machine's own one. */
  private String name(int node) {
    return bridge + node;
  }

  /** Returns the address of a node. */
  public String address(int node) {
    return host(node + 1);
  }

  /** Returns what starts a process in the namespace of a node, as the same process. */
  public List<String> wrapper(int node) {
    return List.of("ip", "netns", "exec", name(node));
  }

  /** Loses all that one node sends to another one, until it is mended as often as it was cut. */
  public synchronized void cut(int from, int to) {
    if (cuts.merge(name(from) + to, 1, Integer::sum) == 1) {
      run("ip -n %s neigh replace %s lladdr %s dev eth0 nud permanent"
              .formatted(name(from), address(to), NO_HARDWARE))
          .orFail();
    }
  }

  /** Ends what {@link #cut} does. */
  public synchronized void mend(int from, int to) {
    if (cuts.merge(name(from) + to, -1, Integer::sum) == 0) {
      run("ip -n %s neigh del %s dev eth0".formatted(name(from), address(to))).orFail();
    }
  }

  /** Loses all that a node sends and is sent, also by clients. */
  public void unplug(int node) {
    run("ip link set %s down".formatted(name(node))).orFail();
  }

  /** Ends what {@link #unplug} does. */
  public void plug(int node) {
    run("ip link set %s up".formatted(name(node))).orFail();
  }

  /**
   * Has a queueing discipline of the kernel decide when a node's packets leave it.
   *
   * @param discipline as for {@code tc}, such as {@code netem delay 50ms}
   * @return why the kernel refuses; null if it does not
   */
  public String shape(int node, String discipline) {
    return run("tc -n %s qdisc replace dev eth0 root %s".formatted(name(node), discipline))
        .refusal();
  }

  /** Ends what {@link #shape} does. */
  public void unshape(int node) {
    run("tc -n %s qdisc del dev eth0 root".formatted(name(node))).orFail();
  }

  @Override
  public void close() {
    for (int node = 0; node < nodes; node++) {
      remove(name(node));
    }
    run("ip link del " + bridge);
  }

  /** Ends what runs in a namespace and removes that, and with it both ends of its link. */
  private static void remove(String namespace) {
    SystemCommand.Outcome running = run("ip netns pids " + namespace);
    if (running.refusal() == null) {
      running
          .output()
          .lines()
          .map(Long::valueOf)
          .map(ProcessHandle::of)
          .forEach(left -> left.ifPresent(ProcessHandle::destroyForcibly));
    }
    run("ip netns del " + namespace);
    run("ip link del " + namespace);
  }

  private static void removeLeftovers() {
    leftovers(run("ip netns list").output()).forEach(NodeNetwork::remove);
    leftovers(run("ip -o link show").output()).forEach(link -> run("ip link del " + link));
  }

  /** Returns the names in an output that are of processes that have ended. */
  private static List<String> leftovers(String output) {
    return NAME.matcher(output)
        .results()
        .filter(name -> ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty())
        .map(name -> name.group())
        .distinct()
        .toList();
  }
}
