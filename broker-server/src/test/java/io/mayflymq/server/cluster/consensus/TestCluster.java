package io.mayflymq.server.cluster.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Members in one process, joined by a simulated network. */
public final class TestCluster implements AutoCloseable {
  /** How long a test waits for what must happen. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final ConsensusTimes TIMES = new ConsensusTimes(500, 1_000, 10_000);

  private final Path directory;
  private final UUID group = UUID.randomUUID();
  private final SimulatedNetwork network;
  private final ConsensusTimes times;
  private final ConsensusLimits limits;
  private final Map<String, Node> nodes = new ConcurrentSkipListMap<>();
  private final Map<String, RecordingApplier> states = new ConcurrentHashMap<>();
  private final List<String> fatal = new CopyOnWriteArrayList<>();

  /** A member that runs. */
  public record Node(Member member, ReplicatedLog log, RecordingApplier state) {
    public String name() {
      return member.name();
    }
  }

  public TestCluster(Path directory, SimulatedNetwork network) {
    this(directory, network, TIMES, ConsensusLimits.DEFAULT);
  }

  public TestCluster(
      Path directory, SimulatedNetwork network, ConsensusTimes times, ConsensusLimits limits) {
    this.directory = directory;
    this.network = network;
    this.times = times;
    this.limits = limits;
  }

  /** Starts so many members: a@test, b@test and so on. The first one leads. */
  public TestCluster start(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      String name = (char) ('a' + i) + "@test";
      if (i == 0) {
        start(new Member(UUID.randomUUID(), name), StartMode.BOOTSTRAP);
      } else {
        join(name);
      }
    }
    return this;
  }

  /** Starts a new node, and adds it. */
  public Node join(String name) throws Exception {
    Node node = prepare(name);
    // On a busy machine it may not answer the leader in time, and asks again as a node does.
    await()
        .pollDelay(Duration.ZERO)
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(ExecutionException.class::isInstance)
        .until(
            () -> {
              leader().log().addMember(node.member()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
              return true;
            });
    return node;
  }

  /** Starts a new node, which has the state but is not a member yet. */
  public Node prepare(String name) throws Exception {
    RecordingApplier state = new RecordingApplier(from -> reachable(name, from));
    states.put(name, state);
    state.fetchState(leader().name()).get();
    return start(new Member(UUID.randomUUID(), name), StartMode.JOIN);
  }

  private RecordingApplier reachable(String from, String to) {
    if (!nodes.containsKey(to) || !network.reaches(from, to)) {
      throw new IllegalStateException(to + " cannot be reached");
    }
    return states.get(to);
  }

  /** Starts a member. */
  public Node start(Member member, StartMode mode) throws Exception {
    RecordingApplier state =
        states.computeIfAbsent(
            member.name(), name -> new RecordingApplier(from -> reachable(name, from)));
    ReplicatedLog log =
        Consensus.start(
            settings(member, mode),
            network.attach(member.name()),
            state,
            new BrokerThreads(faults()));
    Node node = new Node(member, log, state);
    nodes.put(member.name(), node);
    return node;
  }

  private ConsensusSettings settings(Member member, StartMode mode) {
    return new ConsensusSettings(
        directory.resolve(member.id().toString()), group, member, mode, times, limits);
  }

  /** Has a stopped member go on without another one. */
  void goOnWithout(Member member, Member lost) throws ConsensusException {
    Consensus.goOnWithout(
        settings(member, StartMode.RESTART),
        states.get(member.name()).applied(),
        member.name().charAt(0),
        lost.id());
  }

  /** Stops a member. */
  public Member stop(String name) {
    Node node = nodes.remove(name);
    network.detach(name);
    node.log().close();
    return node.member();
  }

  /** Stops a member and starts it again with the log that it has. */
  public Node restart(String name) throws Exception {
    return start(stop(name), StartMode.RESTART);
  }

  public Node node(String name) {
    return nodes.get(name);
  }

  public Collection<Node> nodes() {
    return nodes.values();
  }

  public List<String> fatal() {
    return fatal;
  }

  public SimulatedNetwork network() {
    return network;
  }

  /** Waits until a member leads. */
  public Node leader() {
    return await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .atMost(PATIENCE)
        .until(
            () -> nodes.values().stream().filter(node -> node.log().leads()).findFirst(),
            java.util.Optional::isPresent)
        .get();
  }

  /** Returns a member that does not lead. */
  public Node follower() {
    String leader = leader().name();
    return nodes.values().stream()
        .filter(node -> !node.name().equals(leader))
        .findFirst()
        .orElseThrow();
  }

  /** Proposes entries, each when the one before is committed. */
  public void propose(Node node, String... entries) throws Exception {
    for (String entry : entries) {
      proposed(node, entry).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  public static CompletableFuture<LogPosition> proposed(Node node, String entry) {
    return node.log().propose(entry.getBytes(UTF_8));
  }

  /** Waits until all running nodes have applied the same, and returns it. */
  public List<String> agreed(int least) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              List<List<RecordingApplier.Applied>> all = new ArrayList<>();
              nodes.values().forEach(node -> all.add(node.state().entries()));
              org.assertj.core.api.Assertions.assertThat(all)
                  .allSatisfy(
                      one ->
                          org.assertj.core.api.Assertions.assertThat(one)
                              .hasSizeGreaterThanOrEqualTo(least)
                              .isEqualTo(all.get(0)));
            });
    return nodes.values().iterator().next().state().entries().stream()
        .map(RecordingApplier.Applied::entry)
        .toList();
  }

  private Faults faults() {
    return new Faults() {
      @Override
      public void report(String what, Object of, Throwable fault) {
        fatal.add(what + " " + of + ": " + fault);
      }

      @Override
      public void fatal(String what, Throwable fault) {
        fatal.add(what + ": " + fault.getMessage());
      }

      @Override
      public long containedCount() {
        return 0;
      }

      @Override
      public String lastContained() {
        return "";
      }
    };
  }

  @Override
  public void close() {
    List.copyOf(nodes.keySet()).forEach(this::stop);
    network.close();
  }
}
