package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ReplicaPlacement;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.remote.RemoteNode;
import io.mayflymq.cluster.remote.RemoteQueue;
import io.mayflymq.cluster.store.DiskReplicas;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.cluster.link.QueueLinks;
import io.mayflymq.server.cluster.replication.ReplicaControl;
import io.mayflymq.server.config.ClusterSettings;
import io.mayflymq.server.net.EventLoops;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The queues of the cluster, as the virtual hosts of this node have them: those of other nodes, to
 * which links lead, and those that are replicated, with their replicas on this node. It also says
 * where new ones are to be. Any thread may call.
 */
final class ClusterQueues implements AutoCloseable {
  private static final long LOOK_MILLIS = 3_000;

  private final ClusterMetadata metadata;
  private final PeriodicWork work;
  private final Broker broker;
  private final ClusterSettings settings;
  private final ReplicaControl control;
  private final ReplicaManager hosted;
  private final QueueLinks links;
  private final Map<Integer, RemoteNode> homes = new ConcurrentHashMap<>();
  private final QueueBalance balance;
  private final ReplicaPlacement placement;

  /**
   * Creates them; nothing is opened or served yet.
   *
   * @param loops those of the broker's shards
   * @param broker has not recovered yet
   * @param logs opens the logs of replicas on this node
   */
  ClusterQueues(
      ClusterSettings settings,
      Membership membership,
      ClusterMetadata metadata,
      EventLoops loops,
      BrokerThreads threads,
      Broker broker,
      DiskReplicas logs) {
    this.settings = settings;
    this.metadata = metadata;
    this.work = membership.work();
    this.broker = broker;
    control =
        new ReplicaControl(
            new ReplicaControl.Node(
                metadata.self(), metadata.members(), metadata.assignments(), metadata.proposer()),
            membership.transport(),
            loops,
            threads);
    hosted = new ReplicaManager(broker, control, control, logs, metadata::name);
    links = new QueueLinks(membership.transport(), loops, broker);
    Neighbours neighbours = metadata.neighbours();
    balance = new QueueBalance(metadata.self().name(), broker, neighbours::candidates);
    placement =
        new ReplicaPlacement(
            new PlacementNodes(neighbours, balance),
            broker.shards().count(),
            settings.initialGroupSize(),
            metadata.assignments(),
            metadata);
  }

  /** Serves the queues of this node to others from now on: once, when the broker has recovered. */
  void serve() {
    links.serve();
  }

  /** Takes part in the elections of leaders from now on: once, when the metadata are started. */
  void takePart() {
    control.takePart(metadata::listen);
  }

  /**
   * Hosts replicas from now on: once, when this node has caught up with the cluster, or has tried
   * to, and has started its queues.
   */
  void host() {
    control.host(hosted);
    work.every("looking for replicas of former members", LOOK_MILLIS, this::replaceFormerMembers);
    control.reconcile(settings.reconciliation(), broker, metadata::leads, work);
    metadata.whenCaughtUp(
        () ->
            work.every(
                "looking for moves that ended halfway",
                LOOK_MILLIS,
                () -> broker.virtualHosts().forEach(VirtualHost::endStrandedMoves)));
    OwnerlessQueues ownerless = new OwnerlessQueues(broker, metadata.queues());
    metadata.whenCaughtUp(
        () -> work.every("looking for queues without owner", LOOK_MILLIS, ownerless::look));
  }

  private void replaceFormerMembers() {
    if (metadata.leads()) {
      control.replaceFormerMembers();
    }
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#remote}. */
  Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost) {
    return place.isReplicated()
        ? hosted.queue(identity, vhost)
        : RemoteQueue.create(
            identity, place, vhost, homes.computeIfAbsent(place.member(), this::home));
  }

  private RemoteNode home(int member) {
    return new RemoteNode(metadata.name(member), broker.partitions(), links);
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#leastLoadedMember}. */
  int leastLoadedMember() {
    return balance.leastLoaded();
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#placeOfReplicas}. */
  Optional<CompletableFuture<QueuePlace>> placeOfReplicas(OptionalInt size, boolean leadsHere) {
    return placement.place(size, leadsHere);
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#replicasOf}. */
  QueueReplicas replicasOf(int partition) {
    return metadata.neighbours().replicas(metadata.assignments().all().get(partition));
  }

  /** Returns the replicated partitions as the cluster agrees upon them. */
  ReplicaControl control() {
    return control;
  }

  /** Returns the replicas on this node. */
  ReplicaManager hosted() {
    return hosted;
  }

  /** Ends the links to other nodes, and closes the replicas. */
  @Override
  public void close() {
    links.close();
    hosted.close().join();
    control.close();
  }
}
