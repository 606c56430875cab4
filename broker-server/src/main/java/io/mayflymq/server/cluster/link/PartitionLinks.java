package io.mayflymq.server.cluster.link;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.replication.LocalReplicas;
import io.mayflymq.cluster.replication.ReplicaCluster.Connection;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.cluster.transport.LinkAcceptor;
import io.mayflymq.server.cluster.transport.NodeFrameHandler;
import io.mayflymq.server.cluster.transport.NodeIdentity;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.PeerListener;
import io.mayflymq.server.cluster.transport.Purpose;
import io.mayflymq.server.net.EventLoops;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The connections of a node for replicated partitions, in both directions. Any thread may call.
 *
 * <p>The connections of a node for replicated partitions: the leader of a partition opens one to
 * each other replica, and each node one to the queues at the leader.
 *
 * <p>Each side has it on the shard of the partition, by its own number of shards. Who leads and who
 * keeps a replica changes, and a node may learn of it later than another one. So the side that is
 * called says first whether it takes the connection, and the other one sends nothing before. The
 * one that is called may be about to lead, so it does not refuse the connection at once ({@link
 * AcceptingLink}), and one that is refused is opened again soon.
 */
public final class PartitionLinks implements LinkAcceptor, AutoCloseable {
  private static final OutgoingLink.Retries RETRIES = new OutgoingLink.Retries(20, 500, 1_000);

  private final NodeTransport transport;
  private final EventLoops loops;
  private final ClusterMembers members;
  private final UnreadableFrames unreadable = new UnreadableFrames();
  private final Set<OutgoingLink> outgoing = ConcurrentHashMap.newKeySet();
  private volatile LocalReplicas hosted;

  /**
   * Creates them; nothing is opened or served yet.
   *
   * @param loops those of the shards
   * @param members the nodes of the cluster
   */
  public PartitionLinks(NodeTransport transport, EventLoops loops, ClusterMembers members) {
    this.transport = transport;
    this.loops = loops;
    this.members = members;
  }

  /** Serves the replicas of this node to others from now on: once. */
  public void serve(LocalReplicas replicas) {
    hosted = replicas;
    transport.serve(Purpose.Kind.REPLICA, this);
    transport.serve(Purpose.Kind.PARTITION, this);
    transport.addListener(
        new PeerListener() {
          @Override
          public void disconnected(String node) {
            close(node);
          }
        });
  }

  /**
   * Opens a connection, and opens it again whenever it is lost or refused.
   *
   * @param node the number of another node
   * @param kind {@link Purpose.Kind#REPLICA} or {@link Purpose.Kind#PARTITION}
   * @param shard which the connection belongs to
   * @param listener told of it, in bursts of the shard
   */
  public Connection connect(
      int node, Purpose.Kind kind, int partition, Shard shard, LinkListener listener) {
    ClusterMember member = members.ofNumber(node);
    if (member == null) {
      throw new IllegalArgumentException("there is no node with the number " + node);
    }
    OutgoingLink link =
        new OutgoingLink(
            new OutgoingLink.Target(
                member.name(), new Purpose(kind, partition), () -> obstacle(node)),
            RETRIES,
            new OutgoingLink.Origin(shard, loops.netty(shard.loop()), new ConnectingLink(listener)),
            transport,
            unreadable);
    outgoing.add(link);
    link.open();
    return () -> {
      outgoing.remove(link);
      link.end("the connection is not needed any more");
    };
  }

  private Optional<String> obstacle(int node) {
    ClusterMember member = members.ofNumber(node);
    if (!member.isMember()) {
      return Optional.of("node %s is no longer a member of the cluster".formatted(member.name()));
    }
    return member.version() < ChangeVersions.OF_REPLICAS
        ? Optional.of("node %s is of a release without replicas".formatted(member.name()))
        : Optional.empty();
  }

  private void close(String node) {
    outgoing.stream()
        .filter(link -> link.node().equals(node))
        .forEach(link -> link.close("node " + node + " is no longer a member of the cluster"));
  }

  @Override
  public EventLoop loop(Purpose purpose) {
    return loops.netty(hosted.shard(purpose.number()).loop());
  }

  @Override
  public NodeFrameHandler accept(
      NodeIdentity node, int version, Purpose purpose, Consumer<String> onClosed) {
    int partition = purpose.number();
    boolean isReplica = purpose.kind() == Purpose.Kind.REPLICA;
    Supplier<LinkListener> taker =
        isReplica
            ? () -> hosted.acceptLeader(partition)
            : () -> hosted.acceptQueues(partition, node.name());
    String refusal =
        (isReplica ? "no replica of partition %d is here" : "partition %d is not led here")
            .formatted(partition);
    Shard shard = hosted.shard(partition);
    return new LinkConnection(
        shard,
        new AcceptingLink(shard, taker, refusal),
        version,
        transport.times(),
        unreadable.of(purpose, node.name(), onClosed));
  }

  /** Ends all connections that this node has opened. */
  @Override
  public void close() {
    outgoing.forEach(link -> link.end("the node stops"));
    outgoing.clear();
  }
}
