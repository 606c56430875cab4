package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ChangeApplier;
import io.mayflymq.cluster.metadata.ChangeProposer;
import io.mayflymq.cluster.metadata.ChangeTarget;
import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.metadata.EntryLog;
import io.mayflymq.cluster.metadata.PartitionAssignments;
import io.mayflymq.cluster.metadata.PositionedLog;
import io.mayflymq.cluster.metadata.ReplicaPlacement;
import io.mayflymq.cluster.metadata.UnconfirmedChangeException;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.remote.RemoteNode;
import io.mayflymq.cluster.remote.RemoteQueue;
import io.mayflymq.cluster.store.DiskReplicas;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.ClusterMember.State;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.cluster.consensus.Consensus;
import io.mayflymq.server.cluster.consensus.ConsensusException;
import io.mayflymq.server.cluster.consensus.ConsensusListener;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.consensus.ConsensusStatus;
import io.mayflymq.server.cluster.consensus.LogPosition;
import io.mayflymq.server.cluster.consensus.Member;
import io.mayflymq.server.cluster.consensus.ReplicatedLog;
import io.mayflymq.server.cluster.link.QueueLinks;
import io.mayflymq.server.cluster.membership.ClusterJoin;
import io.mayflymq.server.cluster.membership.KnownNodes;
import io.mayflymq.server.cluster.membership.MembershipService;
import io.mayflymq.server.cluster.membership.StateTransfer;
import io.mayflymq.server.cluster.replication.ReplicaControl;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.PeerListener;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import io.netty.util.NetUtil;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node of a cluster. Any thread may call what is public.
 *
 * <p>It starts in two steps. Before there is a broker, the node finds its cluster and takes over
 * its metadata (join); the broker then recovers from these as it would alone. Once it has, the node
 * takes part: it applies what the others have changed meanwhile, and gets a vote.
 *
 * <p>A node that finds no majority starts all the same, with what it has: clients reach its queues,
 * and a change is refused until there is a majority.
 */
public final class ClusterNode implements Cluster, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterNode.class);
  private static final long RETRY_MILLIS = 1_000;
  private static final long CATCH_UP_SECONDS = 60;
  private static final long LOOK_MILLIS = 3_000;

  private final ClusterSetup setup;
  private final MetadataJournal journal;
  private final EventLoops loops;
  private final BrokerThreads threads;
  private final PeriodicWork work;
  private final JoinProgress joining;
  private final QueuesOfMember queues;
  private final ChangeProposer proposer =
      new ChangeProposer(this::added, () -> members().version());
  private final Map<Integer, RemoteNode> homes = new ConcurrentHashMap<>();
  private final Deque<Runnable> held = new ArrayDeque<>();

  // Set once, in the order in which the node starts.
  private volatile Collection<ClusterMember> kept = List.of();
  private NodeTransport transport;
  private MembershipService service;
  private ClusterJoin entrance;
  private ClusterMember self;
  private PositionedLog positions;
  private volatile ClusterMembers members;
  private PartitionAssignments replicated;
  private ReplicaControl replicas;
  private ReplicaManager hosted;
  private Neighbours neighbours;
  private List<MetadataCommand> recovered;
  private Partitions partitions;
  private QueueLinks links;
  private QueueBalance balance;
  private ReplicaPlacement placement;
  private volatile ReplicatedLog log;
  private volatile MemberOperations operations;
  private volatile FormerMembers former;
  private volatile CatchUp catchUp;

  private ClusterNode(
      ClusterSetup setup, MetadataJournal journal, EventLoops loops, BrokerThreads threads) {
    this.setup = setup;
    this.journal = journal;
    this.loops = loops;
    this.threads = threads;
    this.work = threads.periodic("cluster");
    this.joining = new JoinProgress(setup.joiningFile(), work);
    this.queues = new QueuesOfMember(journal, proposer);
    held.push(work::close);
  }

  /**
   * Makes this node a member of its cluster, if it is none yet.
   *
   * @param metadata what the journal has
   * @param loops the event loops that serve the connections to other nodes
   * @throws StartException if it finds no cluster, or is not let in; then nothing is held
   */
  public static ClusterNode join(
      ClusterSetup setup,
      MetadataJournal journal,
      List<MetadataCommand> metadata,
      EventLoops loops,
      BrokerThreads threads)
      throws StartException {
    ClusterNode node = new ClusterNode(setup, journal, loops, threads);
    boolean joined = false;
    try {
      node.enter(metadata);
      joined = true;
      return node;
    } finally {
      if (!joined) {
        node.close();
      }
    }
  }

  private void enter(List<MetadataCommand> metadata) throws StartException {
    kept = ClusterMembers.of(metadata).values();
    KnownNodes nodes = new KnownNodes(this::known);
    transport =
        NodeTransport.start(setup.transport(journal.directory()), loops, threads, nodes, nodes);
    held.push(transport::close);
    LOGGER.info(
        "listening for nodes of the cluster on {}",
        NetUtil.toSocketAddressString(transport.address()));
    service = new MembershipService(setup.nodeName());
    transport.serve(CallService.MEMBERSHIP, service::answer);
    StateTransfer state = new StateTransfer(journal);
    transport.serve(CallService.STATE, (node, request) -> state.answer(request));
    entrance = new ClusterJoin(transport, nodes, journal, setup.nodeName(), setup.address());
    if (self().isEmpty()) {
      joining.begin();
    }
    List<MetadataCommand> entered =
        entrance.enter(
            metadata, setup.settings().formation(), setup.seed(), transport.address().getPort());
    kept = ClusterMembers.of(entered).values();
    self = self().orElseThrow();
    positions =
        new PositionedLog(
            journal,
            task -> work.after("writing metadata again", RETRY_MILLIS, task),
            self.number(),
            PositionedLog.position(entered));
    members = new ClusterMembers(positions, entered);
    replicated = new PartitionAssignments(positions, entered, this::assigned);
    neighbours = new Neighbours(self.number(), members, () -> transport.reachable().keySet());
    replicas =
        new ReplicaControl(
            new ReplicaControl.Node(self, members, replicated, proposer),
            transport,
            loops,
            threads);
    held.push(replicas::close);
    recovered = entered;
  }

  private void assigned(int partition, Assignment assignment) {
    LOGGER.info(
        "replicated partition {} is led by node {} in epoch {}; in sync: {}",
        partition,
        name(assignment.leader()),
        assignment.epoch(),
        assignment.inSync().stream().map(this::name).sorted().collect(Collectors.joining(", ")));
  }

  private String name(int number) {
    ClusterMember member = members.ofNumber(number);
    return member == null ? "number " + number : member.name();
  }

  private Optional<ClusterMember> self() {
    return kept.stream()
        .filter(member -> member.directory().equals(journal.directory()))
        .findFirst();
  }

  private Collection<ClusterMember> known() {
    ClusterMembers current = members;
    return current == null ? kept : current.everKnown();
  }

  /** Returns the metadata that the broker recovers from. Called once. */
  public List<MetadataCommand> recovered() {
    List<MetadataCommand> metadata = recovered;
    recovered = null;
    return metadata;
  }

  /** Returns where the broker writes changes of metadata. */
  public MetadataLog metadata() {
    return positions;
  }

  private ReplicatedLog log() {
    return log;
  }

  /**
   * Serves the queues of the broker to other nodes, takes part in the cluster, and catches up with
   * it. Then it starts the queues: what expires goes by the metadata of the moment, also after a
   * crash that has left this node without the last changes. If no majority is reached in time they
   * start with what the node has.
   *
   * @param broker recovered and resting; what follows is recovered
   * @param restart starts the broker anew in its own time, as its metadata have been replaced
   * @throws StartException if the replicated log cannot be used
   */
  public void takePart(Broker broker, Administration administration, Runnable restart)
      throws StartException {
    links.serve();
    ReachableNodes reachable = new ReachableNodes(transport, neighbours::reachable);
    ChangeApplier applier =
        new ChangeApplier(
            new ChangeTarget(broker, administration, members, replicated),
            proposer,
            positions,
            reachable);
    transport.serve(
        CallService.APPLIED,
        (node, request) ->
            applier.reached(ReachableNodes.index(request)).thenApply(inForce -> new byte[0]));
    transport.serve(
        CallService.LEASES,
        (node, request) ->
            CompletableFuture.completedFuture(LeaseQuestions.answer(request, broker::leaseMillis)));
    LogApplier entries =
        new LogApplier(applier, positions, new LogApplier.Takeover(transport, journal, restart));
    StartMode mode = joining.mode(self, positions.durable() != null);
    try {
      ClusterMember first = members.ofNumber(QueuePlace.FIRST_MEMBER);
      log = Consensus.start(setup.consensus(first, self, mode), transport, entries, threads);
    } catch (ConsensusException e) {
      throw new StartException(e.getMessage(), e);
    }
    held.push(log::close);
    former = new FormerMembers(members, queues, transport, work);
    operations = new MemberOperations(neighbours, members, proposer, log);
    log.listen(new Watch());
    replicas.takePart(log::listen);
    transport.addListener(
        new PeerListener() {
          @Override
          public void ended(String node) {
            log.ended(node);
          }
        });
    service.takePart(members, proposer, log, this::left);
    members.all().forEach(member -> transport.keep(member.name()));
    if (mode == StartMode.JOIN) {
      joining.askForVote(members, self, entrance);
    }
    catchUp =
        new CatchUp(
            self.at(self.name(), setup.address())
                .in(State.SERVING)
                .knowing(ChangeVersions.highest()),
            proposer,
            queues,
            work);
    catchUp.whenDone(former::deleteQueues);
    catchUp.whenDone(() -> broker.virtualHosts().forEach(vhost -> vhost.policies().refresh()));
    catchUp(mode);
    broker.startQueues();
    replicas.host(hosted);
    if (mode == StartMode.BOOTSTRAP) {
      joining.end();
    }
    AbsentNodes absent =
        new AbsentNodes(
            log::leads, neighbours::others, () -> transport.reachable().keySet(), queues);
    work.every("looking for absent nodes", LOOK_MILLIS, absent::look);
    work.every("looking for former members", LOOK_MILLIS, former::disconnect);
    work.every("looking for replicas of former members", LOOK_MILLIS, this::replaceFormerMembers);
    replicas.reconcile(setup.settings().reconciliation(), broker, log::leads, work);
    catchUp.whenDone(
        () ->
            work.every(
                "looking for moves that ended halfway",
                LOOK_MILLIS,
                () -> broker.virtualHosts().forEach(VirtualHost::endStrandedMoves)));
    OwnerlessQueues ownerless = new OwnerlessQueues(() -> broker, queues);
    catchUp.whenDone(
        () -> work.every("looking for queues without owner", LOOK_MILLIS, ownerless::look));
  }

  private void replaceFormerMembers() {
    if (log.leads()) {
      replicas.replaceFormerMembers();
    }
  }

  /** Waits until this node has what the cluster had when it started, for some time at most. */
  private void catchUp(StartMode mode) throws StartException {
    try {
      catchUp.start().get(CATCH_UP_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (mode == StartMode.BOOTSTRAP) {
        throw new StartException(e.getCause().getMessage(), e.getCause());
      }
      LOGGER.warn(
          "this node serves what it has, and makes no changes until it reaches a majority of the"
              + " cluster's nodes: {}",
          e.getCause().getMessage());
    } catch (TimeoutException e) {
      LOGGER.warn(
          "this node has not caught up with the cluster within {} s: it serves what it has",
          CATCH_UP_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while catching up with the cluster", e);
    }
  }

  // What virtual hosts see

  @Override
  public int member() {
    return self.number();
  }

  @Override
  public int leastLoadedMember() {
    return balance.leastLoaded();
  }

  @Override
  public Optional<CompletableFuture<QueuePlace>> placeOfReplicas(
      OptionalInt size, boolean leadsHere) {
    return placement.place(size, leadsHere);
  }

  @Override
  public QueueReplicas replicasOf(int partition) {
    return neighbours.replicas(replicated.all().get(partition));
  }

  @Override
  public CompletableFuture<ReplicaState> replicaHere(int partition) {
    return hosted.state(partition);
  }

  /** Returns the replicas on this node. */
  public ReplicaManager hosted() {
    return hosted;
  }

  @Override
  public CompletableFuture<long[]> leasesElsewhere(List<MetadataCommand> deletions) {
    return new LeaseQuestions(transport, neighbours::reachable).ask(deletions);
  }

  @Override
  public int targetOfMove(String node) {
    return neighbours.targetOfMove(node);
  }

  @Override
  public void inBackground(Runnable task) {
    work.soon("what a change has led to", task);
  }

  @Override
  public Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost) {
    if (place.isReplicated()) {
      return hosted.queue(identity, vhost);
    }
    return RemoteQueue.create(
        identity, place, vhost, homes.computeIfAbsent(place.member(), this::home));
  }

  private RemoteNode home(int member) {
    return new RemoteNode(name(member), partitions, links);
  }

  /**
   * Leads a broker to the queues of other nodes, and to those that are replicated. Before it
   * recovers.
   *
   * @param logs opens the logs of replicas on this node
   */
  public void connect(Broker broker, DiskReplicas logs) {
    hosted =
        new ReplicaManager(
            new ReplicaManager.Environment(broker, replicas, replicas, logs, this::name));
    held.push(() -> hosted.close().join());
    partitions = broker.partitions();
    links = new QueueLinks(transport, loops, broker);
    held.push(links::close);
    balance = new QueueBalance(self.name(), broker, neighbours::candidates);
    placement =
        new ReplicaPlacement(
            new PlacementNodes(neighbours, balance),
            broker.shards().count(),
            setup.settings().initialGroupSize(),
            replicated,
            this);
    broker.setCluster(this);
  }

  @Override
  public CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin) {
    CatchUp begun = catchUp;
    if (begun == null || !begun.isDone()) {
      return CompletableFuture.failedFuture(
          UnconfirmedChangeException.notMade("this node has not caught up with the cluster"));
    }
    return proposer.propose(commands, origin);
  }

  private CompletableFuture<LogPosition> added(byte[] entry) {
    return log()
        .propose(entry)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    Causes.of(failure) instanceof ConsensusException known && !known.mayHappen()
                        ? new EntryLog.NotAddedException(known.getMessage())
                        : failure));
  }

  @Override
  public List<Peer> nodes() {
    return neighbours.all();
  }

  @Override
  public CompletableFuture<Void> setDrained(boolean drained) {
    return operations.setDrained(drained);
  }

  @Override
  public CompletableFuture<Void> handOver() {
    return replicas.transferAll().thenCompose(led -> operations.handOver());
  }

  @Override
  public ReplicaOperations replicaOperations() {
    return replicas;
  }

  @Override
  public CompletableFuture<Void> forget(String node) {
    return operations
        .forget(node)
        .thenCompose(forgotten -> queues.deleteAll(Set.of(forgotten.number())))
        .thenRun(
            () -> {
              former.disconnect();
              LOGGER.info("node {} was forgotten", node);
            });
  }

  /** A node leaves the cluster. It is not made to wait for the deletion of its queues. */
  private CompletableFuture<Void> left(ClusterMember member) {
    return operations
        .end(member)
        .thenRun(
            () -> {
              LOGGER.info("node {} has left the cluster", member.name());
              work.soon("deleting the queues of a node that has left", former::deleteQueues);
            });
  }

  /** Returns the state of the replicated log. */
  public ConsensusStatus consensus() {
    return log.status();
  }

  /** Returns what asks the other nodes, and answers them. */
  public NodeCalls calls() {
    return transport;
  }

  /** Returns the replicated partitions of the cluster. */
  public ReplicaControl replicas() {
    return replicas;
  }

  /** Returns the members. */
  public ClusterMembers members() {
    return members;
  }

  /** Leaves nothing behind but its data; the other nodes go on without it. */
  @Override
  public void close() {
    while (!held.isEmpty()) {
      held.pop().run();
    }
  }

  private final class Watch implements ConsensusListener {
    @Override
    public void membersChanged(List<Member> voting) {
      voting.forEach(member -> transport.keep(member.name()));
    }
  }
}
