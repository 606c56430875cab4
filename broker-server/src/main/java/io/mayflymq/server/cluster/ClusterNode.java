package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.store.DiskReplicas;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.DirectReply;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.cluster.consensus.ConsensusListener;
import io.mayflymq.server.cluster.consensus.ConsensusStatus;
import io.mayflymq.server.cluster.consensus.LeaderChange;
import io.mayflymq.server.cluster.transport.NodeCalls;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * A node of a cluster. Any thread may call what is public.
 *
 * <p>It starts in two steps. Before there is a broker, the node finds its cluster and takes over
 * its metadata ({@link #join}); the broker then recovers from these as it would alone. Once it has,
 * the node takes part: it applies what the others have changed meanwhile, and gets a vote.
 *
 * <p>A node that finds no majority starts all the same, with what it has: clients reach its queues,
 * and a change is refused until there is a majority.
 *
 * <p>It consists of its membership, which has the connections to other nodes, of the metadata,
 * which use them, and of the queues, which use both. So they are made in this order; this class
 * starts and stops them, and tells virtual hosts what they know.
 */
public final class ClusterNode implements Cluster, AutoCloseable {
  private final ClusterSetup setup;
  private final EventLoops loops;
  private final BrokerThreads threads;
  private final Membership membership;
  private final ClusterMetadata metadata;

  /** Null once the broker has taken it. */
  private List<MetadataCommand> recovered;

  /** Null until there is a broker, as are the replies. */
  private ClusterQueues queues;

  private ReplyCalls replies;

  private ClusterNode(
      ClusterSetup setup,
      EventLoops loops,
      BrokerThreads threads,
      Membership membership,
      ClusterMetadata metadata,
      List<MetadataCommand> recovered) {
    this.setup = setup;
    this.loops = loops;
    this.threads = threads;
    this.membership = membership;
    this.metadata = metadata;
    this.recovered = recovered;
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
    Membership membership = Membership.listen(setup, journal, metadata, loops, threads);
    boolean joined = false;
    try {
      List<MetadataCommand> recovered = membership.join(metadata);
      ClusterNode node =
          new ClusterNode(
              setup,
              loops,
              threads,
              membership,
              new ClusterMetadata(setup, membership, journal, recovered),
              recovered);
      joined = true;
      return node;
    } finally {
      if (!joined) {
        membership.close();
      }
    }
  }

  /** Returns the metadata that the broker recovers from. Called once. */
  public List<MetadataCommand> recovered() {
    List<MetadataCommand> taken = recovered;
    recovered = null;
    return taken;
  }

  /** Returns where the broker writes changes of metadata. */
  public MetadataLog metadata() {
    return metadata.written();
  }

  /**
   * Leads a broker to the queues of other nodes, and to those that are replicated. Before it
   * recovers.
   *
   * @param logs opens the logs of replicas on this node
   */
  public void connect(Broker broker, DiskReplicas logs) {
    queues =
        new ClusterQueues(setup.settings(), membership, metadata, loops, threads, broker, logs);
    replies = new ReplyCalls(membership.transport(), metadata::nameOrNull, broker);
    broker.setCluster(this);
  }

  /**
   * Serves the queues of the broker to other nodes, takes part in the cluster, and catches up with
   * it. Then it starts the queues: what expires goes by the metadata of the moment, also after a
   * crash that has left this node without the last changes. If no majority is reached in time they
   * start with what the node has.
   *
   * @param broker recovered and resting; what follows is recovered
   * @param start the start of the broker
   * @throws StartException if the replicated log cannot be used, or the start has ended
   */
  public void takePart(Broker broker, Administration administration, BrokerStart start)
      throws StartException {
    queues.serve();
    replies.serve();
    metadata.start(broker, administration, threads, start);
    queues.takePart();
    metadata.catchUp(start);
    broker.startQueues();
    queues.host();
    metadata.cleanUp();
  }

  /**
   * Ends leading partitions, before this node stops: its end must not be taken for that of its
   * process while it may still deliver. Waits for some time at most.
   */
  public void release() {
    queues.control().release();
  }

  /** Leaves nothing behind but its data; the other nodes go on without it. */
  @Override
  public void close() {
    metadata.close();
    if (queues != null) {
      queues.close();
    }
    membership.close();
  }

  /** Returns what asks the other nodes, and answers them. */
  public NodeCalls calls() {
    return membership.transport();
  }

  /** Returns the state of the replicated log. */
  public ConsensusStatus consensus() {
    return metadata.consensus();
  }

  /** Returns whether this node leads the decisions of the cluster. */
  public boolean leads() {
    return metadata.leads();
  }

  /** Runs a task each time that another node leads these decisions; it must not block. */
  public void whenLeaderChanges(Runnable task) {
    metadata.listen(
        new ConsensusListener() {
          @Override
          public void leaderChanged(LeaderChange change) {
            task.run();
          }
        });
  }

  /** Returns the replicas on this node. */
  public ReplicaManager hosted() {
    return queues.hosted();
  }

  // What virtual hosts see: the members and the metadata

  @Override
  public CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin) {
    return metadata.propose(commands, origin);
  }

  @Override
  public List<Peer> nodes() {
    return metadata.neighbours().all();
  }

  @Override
  public boolean knowsDeletedQueues() {
    return metadata.members().version() >= ChangeVersions.OF_ADOPTIONS;
  }

  @Override
  public int member() {
    return metadata.self().number();
  }

  @Override
  public int targetOfMove(String node) {
    return metadata.neighbours().targetOfMove(node);
  }

  @Override
  public CompletableFuture<Void> forget(String node) {
    return metadata.forget(node);
  }

  @Override
  public CompletableFuture<Void> setDrained(boolean drained) {
    return metadata.setDrained(drained);
  }

  @Override
  public CompletableFuture<Void> handOver() {
    return queues.control().transferAll().thenCompose(led -> metadata.handOver());
  }

  @Override
  public CompletableFuture<long[]> leasesElsewhere(List<MetadataCommand> deletions) {
    return metadata.leasesElsewhere(deletions);
  }

  @Override
  public void reply(int member, String vhost, List<DirectReply> toMember) {
    replies.reply(member, vhost, toMember);
  }

  @Override
  public CompletableFuture<Boolean> awaitsReplies(int member, String vhost, String name) {
    return replies.awaits(member, vhost, name);
  }

  @Override
  public void inBackground(Runnable task) {
    membership.work().soon("what a change has led to", task);
  }

  // What virtual hosts see: the queues

  @Override
  public Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost) {
    return queues.remote(identity, place, vhost);
  }

  @Override
  public int leastLoadedMember() {
    return queues.leastLoadedMember();
  }

  @Override
  public Optional<CompletableFuture<QueuePlace>> placeOfReplicas(
      OptionalInt size, boolean leadsHere) {
    return queues.placeOfReplicas(size, leadsHere);
  }

  @Override
  public QueueReplicas replicasOf(int partition) {
    return queues.replicasOf(partition);
  }

  @Override
  public CompletableFuture<ReplicaState> replicaHere(int partition) {
    return queues.hosted().state(partition);
  }

  @Override
  public ReplicaOperations replicaOperations() {
    return queues.control();
  }
}
