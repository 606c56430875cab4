package io.mayflymq.cluster.metadata;

import io.mayflymq.cluster.link.LinkConnector;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.cluster.owner.OwnerLink;
import io.mayflymq.cluster.owner.QueueLookup;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Links between the nodes of a simulated cluster. They are lost with a node, and come again. */
final class SimulatedLinks {
  private final Function<String, Node> byName;
  private final List<Connection> connections = new ArrayList<>();

  /**
   * Begins without any.
   *
   * @param byName finds a node
   */
  SimulatedLinks(Function<String, Node> byName) {
    this.byName = byName;
  }

  /** Returns what connects the present process of a node. */
  LinkConnector connector(Node from) {
    return (node, shard, listener) -> {
      Connection connection = new Connection(from, shard, byName.apply(node), listener);
      connections.add(connection);
      connection.open();
    };
  }

  /** A process has ended, and its node has another one. */
  void restarted(Node node) {
    connections.removeIf(connection -> connection.from == node && connection.endOfOpener());
    connections.stream().filter(connection -> connection.to == node).forEach(Connection::reopen);
  }

  /** The connection between two nodes is lost, and opened again. */
  void cut(Node one, Node other) {
    connections.stream()
        .filter(
            connection ->
                (connection.from == one && connection.to == other)
                    || (connection.from == other && connection.to == one))
        .forEach(
            connection -> {
              connection.endAtHome();
              connection.reopen();
            });
  }

  private static final class Connection {
    private final Node from;
    private final Shard near;
    private final Node to;
    private final LinkListener listener;
    private OwnerLink far;
    private Shard farShard;

    Connection(Node from, Shard near, Node to, LinkListener listener) {
      this.from = from;
      this.near = near;
      this.to = to;
      this.listener = listener;
    }

    void open() {
      farShard = to.broker.shards().get(near.index() % to.broker.shards().count());
      far = new OwnerLink(farShard, to.broker.partitions(), lookup());
      OwnerLink opened = far;
      Shard shard = farShard;
      shard.execute(() -> opened.up(new Port(this, near, listener)));
      near.execute(() -> listener.up(new Port(this, shard, opened)));
    }

    void endAtHome() {
      OwnerLink lost = far;
      farShard.execute(() -> lost.lost("cut"));
    }

    boolean endOfOpener() {
      endAtHome();
      far = null;
      return true;
    }

    void reopen() {
      near.execute(() -> listener.lost("cut"));
      open();
    }

    private QueueLookup lookup() {
      return new QueueLookup() {
        @Override
        public Queue find(String vhost, String name, long id) {
          return to.broker.virtualHost(vhost).queueHere(name, id);
        }

        @Override
        public boolean mayCome(String vhost, String name, long id) {
          return true;
        }
      };
    }
  }

  private static final class Port implements LinkPort {
    private final Connection connection;
    private final OwnerLink incarnation;
    private final Shard to;
    private final LinkListener receiver;

    Port(Connection connection, Shard to, LinkListener receiver) {
      this.connection = connection;
      this.incarnation = connection.far;
      this.to = to;
      this.receiver = receiver;
    }

    @Override
    public void send(int type, ByteWriter body) {
      byte[] copy = Arrays.copyOf(body.bytes(), body.size());
      to.execute(
          () -> {
            if (connection.far == incarnation) {
              receiver.frame(type, new ByteReader(copy, copy.length));
            }
          });
    }

    @Override
    public int version() {
      return LinkVersion.HIGHEST;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close(String why) {
      throw new AssertionError(why);
    }
  }
}
