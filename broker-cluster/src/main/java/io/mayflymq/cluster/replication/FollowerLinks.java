package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/** The connections of a leader to the other replicas. On the thread of the partition. */
final class FollowerLinks {
  /** What is told of the connections. */
  interface Listener {
    void connected(int node);

    void disconnected(int node);

    void received(int node, ToLeader message);
  }

  private final Listener listener;
  private final BiFunction<Integer, LinkListener, ReplicaCluster.Connection> connector;
  private final Map<Integer, Link> links = new TreeMap<>();
  private final ByteWriter body = new ByteWriter();

  /**
   * Creates them: none.
   *
   * @param connector opens a connection to a node
   */
  FollowerLinks(
      Listener listener, BiFunction<Integer, LinkListener, ReplicaCluster.Connection> connector) {
    this.listener = listener;
    this.connector = connector;
  }

  private final class Link implements LinkListener {
    private final int node;
    private ReplicaCluster.Connection connection;
    private LinkPort port;

    Link(int node) {
      this.node = node;
    }

    /** What is told of a connection that was ended is not told on. */
    private boolean isEnded() {
      return links.get(node) != this;
    }

    @Override
    public void up(LinkPort opened) {
      if (!isEnded()) {
        port = opened;
        listener.connected(node);
      }
    }

    @Override
    public void frame(int type, ByteReader frame) {
      if (!isEnded()) {
        listener.received(node, ReplicationCodec.readFromFollower(type, frame));
      }
    }

    @Override
    public void writable() {}

    @Override
    public void lost(String why) {
      if (port != null) {
        port = null;
        if (!isEnded()) {
          listener.disconnected(node);
        }
      }
    }
  }

  /** There are connections to these nodes, and to no others, from now on. */
  void keep(Collection<Integer> nodes) {
    for (int node : nodes) {
      if (!links.containsKey(node)) {
        Link link = new Link(node);
        links.put(node, link);
        link.connection = connector.apply(node, link);
      }
    }
    links
        .values()
        .removeIf(
            link -> {
              boolean isUnused = !nodes.contains(link.node);
              if (isUnused) {
                end(link);
              }
              return isUnused;
            });
  }

  private void end(Link link) {
    link.connection.end();
    if (link.port != null) {
      listener.disconnected(link.node);
    }
  }

  /** Returns whether there is a connection to a node, and it keeps up with what is sent. */
  boolean isWritable(int node) {
    Link link = links.get(node);
    return link != null && link.port != null && link.port.isWritable();
  }

  /** Sends a message; a connection that is lost loses it. */
  void send(int node, ToFollower message) {
    Link link = links.get(node);
    if (link != null && link.port != null) {
      link.port.send(ReplicationCodec.write(message, body.clear()), body);
    }
  }
}
