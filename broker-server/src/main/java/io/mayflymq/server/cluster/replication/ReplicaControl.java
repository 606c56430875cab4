package io.mayflymq.server.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.metadata.ChangeProposer;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.metadata.PartitionAssignments;
import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.cluster.replication.LocalReplicas;
import io.mayflymq.cluster.replication.QueueConnector;
import io.mayflymq.cluster.replication.ReplicaCluster;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.cluster.consensus.ConsensusListener;
import io.mayflymq.server.cluster.link.PartitionLinks;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.PeerListener;
import io.mayflymq.server.cluster.transport.Purpose;
import io.mayflymq.server.config.ReconciliationSettings;
import io.mayflymq.server.net.EventLoops;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicated partitions of the cluster, as its nodes agree upon them: what the replicas on this
 * node ask of the cluster, and what it tells them. Any thread may call.
 */
public final class ReplicaControl
    implements ReplicaCluster, QueueConnector, ReplicaOperations, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaControl.class);
  private static final int RELEASE_SECONDS = 10;

  /**
   * This node, and what it knows of the cluster.
   *
   * @param proposer proposes changes
   */
  public record Node(
      ClusterMember self,
      ClusterMembers members,
      PartitionAssignments partitions,
      ChangeProposer proposer) {}

  private final Node node;
  private final NodeTransport transport;
  private final PartitionLinks links;
  private final PeriodicWork work;

  /** Those of the leaders on this node, which have many: they share entries. */
  private final AssignmentProposals ofLeaders;

  /** All others, which are made many at once. */
  private final AssignmentProposals proposals;

  private final LeaderlessReports reports;
  private final ReplicaNodes nodes;
  private final LeaderTransfers transfers;
  private final ReplicaChanges changes;
  private volatile LocalReplicas hosted;

  /**
   * Creates it.
   *
   * @param loops the event loops that serve connections to other nodes
   * @param threads makes the thread that elects leaders, when it is needed
   */
  public ReplicaControl(
      Node node, NodeTransport transport, EventLoops loops, BrokerThreads threads) {
    this.node = node;
    this.transport = transport;
    this.links = new PartitionLinks(transport, loops, node.members());
    this.work = threads.periodic("elections");
    this.ofLeaders =
        new AssignmentProposals(
            changes ->
                changes.stream()
                    .map(change -> node.proposer().propose(List.of(change), null))
                    .toList());
    this.proposals = new AssignmentProposals(node.proposer()::proposeEach);
    this.nodes =
        new ReplicaNodes(
            node.self().number(), node.members(), () -> transport.reachable().keySet());
    ElectionThread elections =
        new ElectionThread(
            new ElectionThread.View(
                node.partitions()::all, nodes::forElections, ReplicaControl::monotonicMillis),
            proposals::propose,
            work);
    this.reports =
        new LeaderlessReports(
            node.self().name(), transport, elections::reported, ReplicaControl::monotonicMillis);
    this.transfers = new LeaderTransfers(node, nodes, transport, this::handOver);
    this.changes = new ReplicaChanges(node, nodes, transfers);
  }

  private CompletableFuture<Boolean> handOver(int partition, int to) {
    LocalReplicas replicas = hosted;
    return replicas == null
        ? CompletableFuture.completedFuture(false)
        : replicas.handOver(partition, to);
  }

  private static long monotonicMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /**
   * Takes part in elections from now on: once.
   *
   * @param leaders adds what is told which node leads the decisions of the cluster
   */
  public void takePart(Consumer<ConsensusListener> leaders) {
    reports.serve(nodes::number);
    transfers.serve();
    leaders.accept(reports);
  }

  /**
   * Hosts replicas from now on: once, when this node has caught up with the cluster and has started
   * its queues.
   */
  public void host(LocalReplicas replicas) {
    hosted = replicas;
    transport.addListener(
        new PeerListener() {
          @Override
          public void ended(String name) {
            node.members().named(name).ifPresent(member -> replicas.ended(member.number()));
          }
        });
    links.serve(replicas);
    node.partitions().listen(replicas::assigned);
  }

  @Override
  public int self() {
    return node.self().number();
  }

  @Override
  public Connection connect(int member, int partition, Shard shard, LinkListener listener) {
    return links.connect(member, Purpose.Kind.REPLICA, partition, shard, listener);
  }

  @Override
  public Connection connectQueues(int member, int partition, Shard shard, LinkListener listener) {
    return links.connect(member, Purpose.Kind.PARTITION, partition, shard, listener);
  }

  @Override
  public void propose(int partition, AssignmentChange change) {
    ofLeaders.propose(Map.of(partition, change));
  }

  @Override
  public void report(Leaderless report) {
    reports.report(report);
  }

  @Override
  public CompletableFuture<Void> transfer(int partition, String member) {
    return numbered(member, number -> transfers.transfer(partition, number));
  }

  @Override
  public CompletableFuture<Void> add(int partition, String member) {
    return numbered(member, number -> changes.add(partition, number));
  }

  @Override
  public CompletableFuture<Void> remove(int partition, String member) {
    return numbered(member, number -> changes.remove(partition, number));
  }

  @Override
  public CompletableFuture<Void> grow(int partition, int size) {
    return changes.grow(partition, size);
  }

  @Override
  public void requireLostMajority(int partition) {
    changes.requireLostMajority(partition);
  }

  @Override
  public CompletableFuture<Void> goOnAlone(int partition) {
    return changes.goOnAlone(partition);
  }

  private CompletableFuture<Void> numbered(
      String member, IntFunction<CompletableFuture<Void>> operation) {
    int number = nodes.number(member);
    return number < 0
        ? CompletableFuture.failedFuture(
            new ChannelException(
                ReplyCode.NOT_FOUND, "node '%s' is not a member of the cluster".formatted(member)))
        : operation.apply(number);
  }

  /**
   * Has members keep what nodes have kept that are members no more: one replica of each partition,
   * so it is to be called again and again, on the node that leads the decisions of the cluster.
   */
  public void replaceFormerMembers() {
    proposals.propose(changes.ofFormerMembers());
  }

  /**
   * Has partitions grow to the target sizes of their queues, from now on: once.
   *
   * @param leads whether this node leads the decisions of the cluster
   * @param on where it is done
   */
  public void reconcile(
      ReconciliationSettings settings, Broker broker, BooleanSupplier leads, PeriodicWork on) {
    if (settings.enabled()) {
      TargetSizes targets = new TargetSizes(broker, settings.targetGroupSize());
      Reconciliation reconciliation =
          new Reconciliation(
              settings,
              () -> new Reconciliation.Seen(nodes.candidates(), targets.sources()),
              () -> grow(changes.towards(targets.byPartition())));
      on.every(
          "reconciling the members of queues",
          Reconciliation.LOOK_MILLIS,
          () -> reconciliation.look(leads.getAsBoolean(), monotonicMillis()));
    }
  }

  private boolean grow(Map<Integer, AssignmentChange.Replicas> due) {
    due.forEach(
        (partition, change) ->
            LOGGER.info(
                "node {} is to keep partition {} too: it has fewer replicas than its queues are to"
                    + " have",
                nodes.name(change.replicas().get(change.replicas().size() - 1)),
                partition));
    proposals.propose(due);
    return !due.isEmpty();
  }

  /**
   * Has other nodes lead all partitions that this one leads and that are in sync on another node
   * which is not in maintenance mode.
   *
   * @return done when they do; fails with what went wrong first
   */
  public CompletableFuture<Void> transferAll() {
    return transfers.transferAll();
  }

  /**
   * Ends leading partitions, before this node stops: its end must not be taken for that of its
   * process while it may still deliver. Waits for some time at most.
   */
  public void release() {
    LocalReplicas replicas = hosted;
    if (replicas == null) {
      return;
    }
    try {
      replicas.release().get(RELEASE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      LOGGER.warn(
          "partitions that this node leads were not released: {}", e.getCause().getMessage());
    } catch (TimeoutException e) {
      LOGGER.warn("partitions that this node leads were not released within {} s", RELEASE_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    links.close();
    work.close();
  }
}
