package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.remote.PartitionHost;
import io.mayflymq.cluster.remote.PartitionLink;
import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.cluster.replication.QueueConnector;
import io.mayflymq.cluster.replication.ReplicaCluster;
import io.mayflymq.cluster.replication.ReplicaDriver;
import io.mayflymq.cluster.replication.ReplicationTimes;
import io.mayflymq.cluster.store.DiskReplica;
import io.mayflymq.cluster.store.DiskReplicas;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.KeptQueue;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replicated partition as one node sees it: the way to its leader, and the replica on this node,
 * if there is one. On the partition's shard, where nothing else is said.
 */
final class PartitionOnNode implements PartitionHost {
  private static final Logger LOGGER = LoggerFactory.getLogger(PartitionOnNode.class);

  /** To open a replica takes time of its shard, and what is in the way stays for some time. */
  static final long RETRY_MILLIS = 30_000;

  private final int number;
  private final Broker broker;
  private final ReplicaCluster cluster;
  private final QueueConnector connector;
  private final DiskReplicas logs;
  private final IntFunction<String> names;
  private final ClockWarning clockWarning;
  private final PartitionLink link;
  private final Shard shard;
  private Assignment assignment;

  /** Done unless a replica is being closed, or deleted. */
  private CompletableFuture<Void> removal = CompletableFuture.completedFuture(null);

  /** Null if this node keeps none. */
  private volatile LocalReplica replica;

  /** Null unless this node is to lead. */
  private OwnConnection own;

  private boolean stopped;

  /** Why the replica could not be opened when it was tried last; null if it could. */
  private String refusal;

  private boolean isRetryDue;

  /** Whether it is not opened again before the node is started again. */
  private boolean isGivenUp;

  private boolean isReportDue;

  /** Creates it without a leader. Any thread may call. */
  PartitionOnNode(
      int number,
      Broker broker,
      ReplicaCluster cluster,
      QueueConnector connector,
      DiskReplicas logs,
      IntFunction<String> names,
      ClockWarning clockWarning) {
    this.number = number;
    this.broker = broker;
    this.cluster = cluster;
    this.connector = connector;
    this.logs = logs;
    this.names = names;
    this.clockWarning = clockWarning;
    this.link =
        new PartitionLink(connector.newLinkId(), number, cluster.self(), broker.partitions(), this);
    this.shard = link.partition().shard();
  }

  /** Returns the way to its leader. Any thread may call. */
  PartitionLink link() {
    return link;
  }

  /** Returns its shard. Any thread may call. */
  Shard shard() {
    return shard;
  }

  private int self() {
    return cluster.self();
  }

  /** Returns whether there is to be a replica on this node. */
  private boolean isToKeep() {
    return assignment != null && assignment.replicas().contains(self());
  }

  /** The cluster has agreed upon an assignment. */
  void assigned(Assignment changed) {
    if (stopped) {
      return;
    }
    boolean isFirst = assignment == null;
    assignment = changed;
    if (!isToKeep()) {
      if (isFirst || replica != null || refusal != null || isGivenUp) {
        remove();
      }
    } else if (replica != null) {
      replica.assigned(changed);
    } else {
      open();
    }
    link.leader(names.apply(changed.leader()));
  }

  /**
   * Deletes the replica, when its log is closed. There may be one that was removed while this node
   * did not run.
   */
  private void remove() {
    if (!removal.isDone()) {
      return;
    }
    refusal = null;
    isGivenUp = false;
    CompletableFuture<Void> closed = CompletableFuture.completedFuture(null);
    if (replica != null) {
      closed = replica.close();
      replica = null;
      LOGGER.info("this node keeps no replica of partition {} any more", number);
    }
    removal = new CompletableFuture<>();
    closed.whenComplete((done, failure) -> shard.runOrExecute(() -> closed(failure)));
  }

  private void closed(Throwable failure) {
    try {
      if (failure == null) {
        logs.delete(number);
      } else {
        notDeleted(failure);
      }
    } catch (StoreException e) {
      notDeleted(e);
    } finally {
      removal.complete(null);
    }
    if (!stopped && isToKeep()) {
      open(); // It was added again meanwhile.
    }
  }

  private void notDeleted(Throwable why) {
    LOGGER.error(
        "the replica of partition {} was not deleted; it is when this node is started again: {}",
        number,
        Causes.of(why).getMessage());
  }

  private void open() {
    if (isGivenUp || isRetryDue || !removal.isDone()) {
      return;
    }
    PartitionTime time = new PartitionTime(shard);
    ReplicaDriver.Place place =
        new ReplicaDriver.Place(number, time, cluster, () -> shard.elapsedNanos() / 1_000_000);
    Queues queues = new Queues();
    StreamsOfTables streams = new StreamsOfTables(broker, () -> queues.queues().present());
    try {
      DiskReplica log = logs.open(number, time, streams);
      replica = new LocalReplica(place, assignment, broker, log, queues);
      replica.start();
      if (refusal != null) {
        LOGGER.info("this node keeps its replica of partition {} again", number);
        refusal = null;
      }
    } catch (StoreException e) {
      openLater(e);
    }
  }

  private void openLater(StoreException why) {
    if (!why.getMessage().equals(refusal)) {
      LOGGER.error(
          "this node keeps no replica of partition {} at present, and tries it every {} s: {}",
          number,
          RETRY_MILLIS / 1_000,
          why.getMessage());
    }
    refusal = why.getMessage();
    isRetryDue = true;
    shard.loop().schedule(() -> shard.run(this::retry), RETRY_MILLIS);
    reportLater();
  }

  /**
   * While the replica is closed, this node says again and again that it neither leads nor can be
   * elected. It runs, so the others would wait for it otherwise.
   */
  private void reportLater() {
    if (!isReportDue) {
      isReportDue = true;
      shard.loop().schedule(() -> shard.run(this::report), ReplicationTimes.USUAL.heartbeat());
    }
  }

  private void report() {
    isReportDue = false;
    if (stopped || replica != null || !isToKeep()) {
      return;
    }
    if (assignment.inSync().contains(self())) {
      cluster.report(new Leaderless(number, self(), assignment.epoch(), BurstId.NONE, false));
    }
    reportLater();
  }

  /** The replica is of no use as it is: it is closed now, and opened again later if it can be. */
  private void failed(Exception why) {
    if (replica != null && !stopped) {
      LocalReplica failed = replica;
      replica = null;
      removal = new CompletableFuture<>();
      failed
          .close()
          .whenComplete((done, failure) -> shard.runOrExecute(() -> closedForNow(failed, why)));
    }
  }

  private void closedForNow(LocalReplica failed, Exception why) {
    removal.complete(null);
    if (stopped) {
      return;
    }
    if (why instanceof StoreException refused && failed.mayOpenAgain()) {
      openLater(refused);
    } else {
      isGivenUp = true;
      reportLater();
      LOGGER.error(
          "this node keeps no replica of partition {} until it is started again: {}",
          number,
          why.getMessage());
    }
    if (!isToKeep()) {
      remove(); // That was not possible meanwhile.
    }
  }

  private void retry() {
    isRetryDue = false;
    if (!stopped && replica == null && isToKeep()) {
      open();
    }
  }

  private final class Queues implements LocalReplica.Owner {
    @Override
    public VirtualHost.Queues queues() {
      List<Queue> present = new ArrayList<>();
      List<KeptQueue> deleted = new ArrayList<>();
      for (VirtualHost vhost : broker.virtualHosts()) {
        VirtualHost.Queues now = vhost.queuesNow();
        now.present().stream().filter(this::isInPartition).forEach(present::add);
        now.deleted().stream().filter(kept -> isInPartition(kept.queue())).forEach(deleted::add);
      }
      return new VirtualHost.Queues(present, deleted);
    }

    private boolean isInPartition(Queue queue) {
      return queue.partition() == link.partition();
    }

    @Override
    public Collection<Queue> copies() {
      return broker.virtualHosts().stream()
          .flatMap(vhost -> vhost.copies().stream())
          .filter(this::isInPartition)
          .toList();
    }

    @Override
    public void leads() {
      if (own != null) {
        own.openSoon();
      }
    }

    @Override
    public void timeIs(long aheadMillis) {
      clockWarning.check(number, aheadMillis, shard.elapsedNanos());
    }

    @Override
    public void failed(Exception why) {
      PartitionOnNode.this.failed(why);
    }
  }

  @Override
  public Connection connect(String node, int partition, Shard of, LinkListener listener) {
    if (assignment.leader() != self()) {
      ReplicaCluster.Connection other =
          connector.connectQueues(assignment.leader(), number, shard, listener);
      return other::end;
    }
    own = new OwnConnection(shard, listener, () -> acceptQueues(node));
    own.openSoon();
    return own;
  }

  /** Returns what takes a connection of the leader; null if there is no replica here. */
  LinkListener acceptLeader() {
    return replica == null ? null : replica.acceptLeader();
  }

  /** Returns what takes a connection to the queues; null if this node does not lead. */
  LinkListener acceptQueues(String node) {
    return replica == null ? null : replica.acceptQueues(node);
  }

  @Override
  public Queue nearest(Queue queue) {
    LocalReplica present = replica;
    return present == null ? queue : present.nearest(queue);
  }

  @Override
  public void declared(Queue queue) {
    if (replica != null) {
      replica.declared(queue);
    }
  }

  @Override
  public void awaited(Queue copy) {
    if (replica != null) {
      replica.awaited(copy);
    }
  }

  @Override
  public void arrived(Queue queue) {
    if (replica != null) {
      replica.arrived(queue);
    }
  }

  @Override
  public void kept(Queue queue, long deletedAtMillis) {
    if (replica != null) {
      replica.kept(queue, deletedAtMillis);
    }
  }

  @Override
  public void deleted(Queue queue) {
    if (replica != null) {
      replica.deleted(queue);
    }
  }

  void ended(int node) {
    if (replica != null) {
      replica.ended(node, names.apply(node));
    }
  }

  /** Has another replica lead. Returns whether this node leads now. */
  boolean handOver(int to) {
    return replica != null && replica.handOver(to);
  }

  /** Returns how the replica on this node is; null if this node is to keep none. */
  ReplicaSnapshot kept() {
    if (replica != null) {
      return new ReplicaSnapshot(number, replica.figures());
    }
    return isToKeep() ? new ReplicaSnapshot(number, null) : null;
  }

  /** Ends leading, as the node stops. */
  CompletableFuture<Void> release() {
    return replica == null ? CompletableFuture.completedFuture(null) : replica.release();
  }

  /** The node stops. */
  CompletableFuture<Void> close() {
    stopped = true;
    return replica == null ? removal : replica.close();
  }
}
