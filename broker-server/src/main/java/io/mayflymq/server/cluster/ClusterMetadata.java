package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ChangeApplier;
import io.mayflymq.cluster.metadata.ChangeProposer;
import io.mayflymq.cluster.metadata.ChangeTarget;
import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.metadata.EntryLog;
import io.mayflymq.cluster.metadata.PartitionAssignments;
import io.mayflymq.cluster.metadata.PositionedLog;
import io.mayflymq.cluster.metadata.UnconfirmedChangeException;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.ChangeOrdering;
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
import io.mayflymq.server.cluster.consensus.Consensus;
import io.mayflymq.server.cluster.consensus.ConsensusException;
import io.mayflymq.server.cluster.consensus.ConsensusListener;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.consensus.ConsensusStatus;
import io.mayflymq.server.cluster.consensus.LogPosition;
import io.mayflymq.server.cluster.consensus.ReplicatedLog;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.PeerListener;
import io.mayflymq.server.net.StartException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata that the nodes of the cluster have in common, as they are on this node: who the
 * members are, which of them keep the replicated partitions, and how all change alike. Any thread
 * may call.
 *
 * <p>A change is proposed to the replicated log. When a majority has it, each node applies it. The
 * log is started when there is a broker to apply entries to.
 */
final class ClusterMetadata implements ChangeOrdering, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterMetadata.class);
  private static final long RETRY_MILLIS = 1_000;
  private static final long CATCH_UP_SECONDS = 60;
  private static final long LOOK_MILLIS = 3_000;

  private final ClusterSetup setup;
  private final Membership membership;
  private final NodeTransport transport;
  private final PeriodicWork work;
  private final MetadataJournal journal;
  private final ClusterMember self;
  private final StartMode mode;
  private final PositionedLog positions;
  private final ClusterMembers members;
  private final PartitionAssignments assignments;
  private final Neighbours neighbours;
  private final ChangeProposer proposer;
  private final QueuesOfMember queues;
  private final CatchUp catchUp;
  private final FormerMembers former;
  private final MemberOperations operations;

  /** Null until it is started. */
  private volatile ReplicatedLog log;

  /**
   * Creates them; no change is made or applied yet.
   *
   * @param membership has let this node join
   * @param journal where they are kept
   * @param joined what the journal has since then
   */
  ClusterMetadata(
      ClusterSetup setup,
      Membership membership,
      MetadataJournal journal,
      List<MetadataCommand> joined) {
    this.setup = setup;
    this.membership = membership;
    this.transport = membership.transport();
    this.work = membership.work();
    this.journal = journal;
    self = membership.self(joined);
    positions =
        new PositionedLog(
            journal,
            task -> work.after("writing metadata again", RETRY_MILLIS, task),
            self.number(),
            PositionedLog.position(joined));
    mode = membership.mode(self, positions.durable() != null);
    members = new ClusterMembers(positions, joined);
    membership.follow(members);
    assignments = new PartitionAssignments(positions, joined, this::assigned);
    neighbours = new Neighbours(self.number(), members, () -> transport.reachable().keySet());
    proposer = new ChangeProposer(this::added, members::version);
    queues = new QueuesOfMember(journal, proposer);
    catchUp =
        new CatchUp(
            self.at(self.name(), setup.address())
                .in(State.SERVING)
                .knowing(ChangeVersions.highest()),
            proposer,
            queues,
            work);
    former = new FormerMembers(members, queues, transport, work);
    operations = new MemberOperations(neighbours, members, proposer, () -> log);
  }

  private void assigned(int partition, Assignment assignment) {
    LOGGER.info(
        "replicated partition {} is led by node {} in epoch {}; in sync: {}",
        partition,
        name(assignment.leader()),
        assignment.epoch(),
        assignment.inSync().stream().map(this::name).sorted().collect(Collectors.joining(", ")));
  }

  private CompletableFuture<LogPosition> added(byte[] entry) {
    return log.propose(entry)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    Causes.of(failure) instanceof ConsensusException known && !known.mayHappen()
                        ? new EntryLog.NotAddedException(known.getMessage())
                        : failure));
  }

  /**
   * Starts the replicated log, which changes the broker from now on, and takes part in it: once.
   *
   * @param broker recovered and resting
   * @param start the start of the broker
   * @throws StartException if the log cannot be used
   */
  void start(Broker broker, Administration administration, BrokerThreads threads, BrokerStart start)
      throws StartException {
    ChangeApplier applier =
        new ChangeApplier(
            new ChangeTarget(broker, administration, members, assignments),
            proposer,
            positions,
            new ReachableNodes(transport, neighbours::reachable));
    transport.serve(
        CallService.APPLIED,
        (node, request) ->
            applier.reached(ReachableNodes.index(request)).thenApply(inForce -> new byte[0]));
    transport.serve(
        CallService.LEASES,
        (node, request) ->
            CompletableFuture.completedFuture(LeaseQuestions.answer(request, broker::leaseMillis)));
    ClusterMember first = members.ofNumber(QueuePlace.FIRST_MEMBER);
    LogApplier entries =
        new LogApplier(
            applier, positions, transport, () -> transport.reachable().keySet(), journal, start);
    try {
      log = Consensus.start(setup.consensus(first, self, mode), transport, entries, threads);
    } catch (ConsensusException e) {
      throw new StartException(e.getMessage(), e);
    }
    transport.addListener(
        new PeerListener() {
          @Override
          public void ended(String node) {
            log.ended(node);
          }
        });
    membership.takePart(mode, self, members, proposer, log, this::left);
    start.ended().thenAccept(proposer::end); // It applies nothing any more.
    catchUp.whenDone(former::deleteQueues);
    catchUp.whenDone(() -> broker.virtualHosts().forEach(vhost -> vhost.policies().refresh()));
  }

  /**
   * Waits until this node has what the cluster had when it started, for some time at most.
   *
   * @throws StartException if this node begins a cluster and can make no change, or the start has
   *     ended
   */
  void catchUp(BrokerStart start) throws StartException {
    try {
      // Of a new cluster, others may have a vote already, and be slow.
      CompletableFuture<Void> caughtUp =
          mode == StartMode.BOOTSTRAP ? catchUp.startForGood() : catchUp.start();
      CompletableFuture.anyOf(caughtUp, start.ended()).get(CATCH_UP_SECONDS, TimeUnit.SECONDS);
      start.requireGoingOn();
    } catch (ExecutionException e) {
      start.requireGoingOn();
      LOGGER.warn(
          "this node serves what it has, and makes no changes until it reaches a majority of the"
              + " cluster's nodes: {}",
          e.getCause().getMessage());
    } catch (TimeoutException e) {
      if (mode == StartMode.BOOTSTRAP) {
        throw new StartException(
            "this node begins a cluster, and no change was confirmed within %d s"
                .formatted(CATCH_UP_SECONDS),
            e);
      }
      LOGGER.warn(
          "this node has not caught up with the cluster within {} s: it serves what it has",
          CATCH_UP_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while catching up with the cluster", e);
    }
    if (mode == StartMode.BOOTSTRAP) {
      membership.hasVote();
    }
  }

  /**
   * Removes what other nodes leave behind, from now on: once, when the broker serves its queues.
   */
  void cleanUp() {
    AbsentNodes absent =
        new AbsentNodes(
            this::leads, neighbours::others, () -> transport.reachable().keySet(), queues);
    work.every("looking for absent nodes", LOOK_MILLIS, absent::look);
    work.every("looking for former members", LOOK_MILLIS, former::disconnect);
  }

  /** Runs a task on the thread of this node's periodic work when the node has caught up. */
  void whenCaughtUp(Runnable task) {
    catchUp.whenDone(task);
  }

  /** Proposes a change of a client; fails as long as this node has not caught up. */
  @Override
  public CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin) {
    return catchUp.isDone()
        ? proposer.propose(commands, origin)
        : CompletableFuture.failedFuture(
            UnconfirmedChangeException.notMade("this node has not caught up with the cluster"));
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#leasesElsewhere}. */
  CompletableFuture<long[]> leasesElsewhere(List<MetadataCommand> deletions) {
    return new LeaseQuestions(transport, neighbours::reachable).ask(deletions);
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#setDrained}. */
  CompletableFuture<Void> setDrained(boolean drained) {
    return operations.setDrained(drained);
  }

  /** Lets another node lead the decisions of the cluster, if this one does. */
  CompletableFuture<Void> handOver() {
    return operations.handOver();
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#forget}. */
  CompletableFuture<Void> forget(String node) {
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

  /** Returns where the broker of this node writes changes. */
  MetadataLog written() {
    return positions;
  }

  /** Returns this node, as it was when it started. */
  ClusterMember self() {
    return self;
  }

  /** Returns the members. */
  ClusterMembers members() {
    return members;
  }

  /** Returns the name of a node; one that is not known is named by its number. */
  String name(int number) {
    String name = nameOrNull(number);
    return name == null ? "number " + number : name;
  }

  /** Returns the name of the member with a number; null if there is none. */
  String nameOrNull(int number) {
    ClusterMember member = members.ofNumber(number);
    return member == null ? null : member.name();
  }

  /** Returns the nodes as this one sees them now. */
  Neighbours neighbours() {
    return neighbours;
  }

  /** Returns which members keep the replicated partitions. */
  PartitionAssignments assignments() {
    return assignments;
  }

  /** Returns what proposes changes that are not a client's. */
  ChangeProposer proposer() {
    return proposer;
  }

  /** Returns what deletes queues whose node or connection is gone. */
  QueuesOfMember queues() {
    return queues;
  }

  /** Returns whether this node leads the decisions of the cluster; once it is started. */
  boolean leads() {
    return log.leads();
  }

  /** Adds what is told which node leads, once it is started. */
  void listen(ConsensusListener listener) {
    log.listen(listener);
  }

  /** Returns the state of the replicated log, once it is started. */
  ConsensusStatus consensus() {
    return log.status();
  }

  /** Nothing is applied any more. */
  @Override
  public void close() {
    ReplicatedLog started = log;
    if (started != null) {
      started.close();
    }
  }
}
