package io.mayflymq.server.cluster.link;

import io.mayflymq.cluster.link.LinkConnector;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.owner.OwnerLink;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.Broker;
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

/** The links of a node for queues, in both directions. Any thread may call. */
public final class QueueLinks implements LinkConnector, LinkAcceptor, AutoCloseable {
  private final NodeTransport transport;
  private final EventLoops loops;
  private final Broker broker;
  private final UnreadableFrames unreadable = new UnreadableFrames();
  private final Set<OutgoingLink> outgoing = ConcurrentHashMap.newKeySet();

  /**
   * Creates them; nothing is opened or served yet.
   *
   * @param loops those of the broker's shards
   */
  public QueueLinks(NodeTransport transport, EventLoops loops, Broker broker) {
    this.transport = transport;
    this.loops = loops;
    this.broker = broker;
  }

  /**
   * Serves the queues of this node to others from now on: once, when the broker has recovered, as
   * its partitions store nothing before.
   */
  public void serve() {
    transport.serve(Purpose.Kind.QUEUES, this);
    transport.addListener(
        new PeerListener() {
          @Override
          public void disconnected(String node) {
            end(node, "node " + node + " is no longer a member of the cluster");
          }
        });
  }

  @Override
  public void connect(String node, Shard shard, LinkListener listener) {
    OutgoingLink link =
        new OutgoingLink(
            new OutgoingLink.Target(node, Purpose.queues(shard.index()), Optional::empty),
            new OutgoingLink.Retries(
                transport.times().firstRetry(), transport.times().lastRetry(), 0),
            new OutgoingLink.Origin(shard, loops.netty(shard.loop()), listener),
            transport,
            unreadable);
    outgoing.add(link);
    link.open();
  }

  private void end(String node, String why) {
    outgoing.removeIf(
        link -> {
          boolean ends = node == null || link.node().equals(node);
          if (ends) {
            link.end(why);
          }
          return ends;
        });
  }

  private Shard shard(int number) {
    return broker.shards().get(Math.floorMod(number, broker.shards().count()));
  }

  @Override
  public EventLoop loop(Purpose purpose) {
    return loops.netty(shard(purpose.number()).loop());
  }

  @Override
  public NodeFrameHandler accept(
      NodeIdentity node, int version, Purpose purpose, Consumer<String> onClosed) {
    Shard shard = shard(purpose.number());
    OwnerLink home = new OwnerLink(shard, broker.partitions(), new BrokerQueues(broker));
    return new LinkConnection(
        shard, home, version, transport.times(), unreadable.of(purpose, node.name(), onClosed));
  }

  /** Ends all links that this node has opened. */
  @Override
  public void close() {
    end(null, "the node stops");
  }
}
