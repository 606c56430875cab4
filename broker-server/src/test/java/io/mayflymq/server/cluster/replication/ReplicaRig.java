package io.mayflymq.server.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.metadata.ChangeApplier;
import io.mayflymq.cluster.metadata.ChangeProposer;
import io.mayflymq.cluster.metadata.ChangeTarget;
import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.metadata.PartitionAssignments;
import io.mayflymq.cluster.metadata.PositionedLog;
import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.cluster.replication.LocalReplicas;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.metadata.MetadataCommand.PartitionAssigned;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.server.cluster.consensus.ConsensusListener;
import io.mayflymq.server.cluster.consensus.LeaderChange;
import io.mayflymq.server.cluster.transport.AnyNode;
import io.mayflymq.server.cluster.transport.ClusterSecret;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.TransportSettings;
import io.mayflymq.server.cluster.transport.TransportTimes;
import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** Nodes in one process which agree by a log in memory, and talk over loopback. */
final class ReplicaRig implements AutoCloseable {
  private static final TransportTimes PATIENT =
      new TransportTimes(60_000, 60_000, 500, 60_000, 10, 50);
  private static final int REPORT_MILLIS = 50;

  private final BrokerThreads threads = new BrokerThreads(Faults.logged());
  private final EventLoops loops = new EventLoops(2, threads);
  private final Shards shards = new Shards(loops.all(), InstantSource.system(), threads.faults());
  private final PeriodicWork log = threads.periodic("log");
  private final PeriodicWork replicas = threads.periodic("replicas");
  private final Map<String, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private long entries;
  final List<Node> nodes = new ArrayList<>();

  /**
   * Starts nodes, with the names a, b and so on, that reach one another.
   *
   * @param first the assignments that they begin with
   */
  ReplicaRig(int count, Map<Integer, Assignment> first) throws StartException {
    List<MetadataCommand> kept = new ArrayList<>();
    IntStream.range(0, count).forEach(number -> kept.add(new MemberSet(member(number))));
    first.forEach((partition, assigned) -> kept.add(new PartitionAssigned(partition, assigned)));
    for (int number = 0; number < count; number++) {
      nodes.add(new Node(number, kept));
    }
    nodes.forEach(node -> nodes.forEach(other -> node.transport.keep(other.name)));
  }

  private static String name(int number) {
    return (char) ('a' + number) + "@host";
  }

  private static ClusterMember member(int number) {
    return new ClusterMember(
        number,
        UUID.randomUUID(),
        name(number),
        "127.0.0.1:1",
        ClusterMember.State.SERVING,
        ChangeVersions.highest());
  }

  private CompletableFuture<Void> add(byte[] entry) {
    CompletableFuture<Void> added = new CompletableFuture<>();
    log.soon(
        "an entry",
        () -> {
          long index = entries++;
          nodes.forEach(node -> node.applier.apply(1, index, entry));
          added.complete(null);
        });
    return added;
  }

  /** Ends the membership of a node. */
  void forget(Node forgotten) {
    ClusterMember former =
        forgotten.members.ofNumber(forgotten.number).in(ClusterMember.State.FORGOTTEN);
    nodes.get(0).proposer.propose(List.of(new MemberSet(former)), null);
  }

  /** Tells nodes which one leads the decisions of the cluster. */
  void lead(int leader) {
    for (Node node : nodes) {
      node.leaders.leaderChanged(new LeaderChange(node.nameOf(leader), 1, node.number == leader));
    }
  }

  /** A node whose replicas report as soon as the process of their leader has ended. */
  final class Node implements LocalReplicas {
    private final int number;
    private final String name;
    private final ChangeApplier applier;
    private ConsensusListener leaders;
    final NodeTransport transport;
    final ReplicaControl control;
    final PartitionAssignments partitions;
    final ClusterMembers members;
    private final ChangeProposer proposer;
    final Map<Integer, Assignment> assigned = new ConcurrentHashMap<>();
    final Set<Integer> ended = ConcurrentHashMap.newKeySet();
    final CompletableFuture<Void> released = new CompletableFuture<>();
    volatile boolean isReleasing;
    volatile boolean mayHandOver = true;

    private Node(int number, List<MetadataCommand> kept) throws StartException {
      this.number = number;
      this.name = nameOf(number);
      InstantSource clock = InstantSource.system();
      PositionedLog positions =
          new PositionedLog(new InMemoryMetadataLog(), Runnable::run, number, null);
      Partitions stores = new Partitions(shards, (partition, on) -> new InMemoryStore());
      Broker broker = new Broker(stores, positions, clock, "/");
      AccessControl access = new AccessControl(SecurityState.EMPTY, Set.of(), clock);
      members = new ClusterMembers(positions, kept);
      partitions = new PartitionAssignments(positions, kept, (partition, assignment) -> {});
      proposer = new ChangeProposer(ReplicaRig.this::add, ChangeVersions::highest);
      applier =
          new ChangeApplier(
              new ChangeTarget(
                  broker,
                  new Administration(
                      broker, positions, access, new Sessions(access), VhostDefaults.NONE),
                  members,
                  partitions),
              proposer,
              positions,
              index -> CompletableFuture.completedFuture(null));
      transport = listen();
      control =
          new ReplicaControl(
              new ReplicaControl.Node(members.ofNumber(number), members, partitions, proposer),
              transport,
              loops,
              threads);
      control.takePart(listener -> leaders = listener);
      control.host(this);
    }

    private String nameOf(int other) {
      return ReplicaRig.name(other);
    }

    private NodeTransport listen() throws StartException {
      NodeTransport listening =
          NodeTransport.start(
              new TransportSettings(
                  name,
                  UUID.randomUUID(),
                  new ListenerSettings("cluster", "127.0.0.1", 0),
                  ClusterSecret.of("secret"),
                  Optional.empty(),
                  PATIENT),
              loops,
              threads,
              new AnyNode(),
              other -> Optional.ofNullable(addresses.get(other)));
      addresses.put(name, listening.address());
      return listening;
    }

    @Override
    public Shard shard(int partition) {
      return shards.get(partition % shards.count());
    }

    @Override
    public LinkListener acceptLeader(int partition) {
      return null;
    }

    @Override
    public LinkListener acceptQueues(int partition, String node) {
      return null;
    }

    @Override
    public void assigned(int partition, Assignment assignment) {
      assigned.put(partition, assignment);
    }

    @Override
    public void ended(int node) {
      ended.add(node);
      replicas.soon("reports", this::report);
    }

    private void report() {
      assigned.forEach(
          (partition, assignment) -> {
            if (ended.contains(assignment.leader())) {
              BurstId last = new BurstId(assignment.epoch(), 7 + number);
              control.report(new Leaderless(partition, number, assignment.epoch(), last, true));
              replicas.after("reports", REPORT_MILLIS, this::report);
            }
          });
    }

    @Override
    public CompletableFuture<Boolean> handOver(int partition, int to) {
      Assignment assignment = assigned.get(partition);
      boolean leads = assignment.leader() == number && mayHandOver;
      if (leads) {
        control.propose(partition, assignment.elect(to, assignment.inSync()));
      }
      return CompletableFuture.completedFuture(leads);
    }

    @Override
    public CompletableFuture<Void> release() {
      isReleasing = true;
      return released;
    }

    /** Its process ends. */
    void end() {
      transport.close();
      control.close();
    }
  }

  @Override
  public void close() {
    nodes.forEach(Node::end);
    replicas.close();
    log.close();
    loops.close();
  }
}
