package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkConnector;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.owner.OwnerLink;
import io.mayflymq.cluster.owner.QueueLookup;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Links from one broker to another in the same process, which can be cut. */
final class MemoryLinks implements LinkConnector {
  private final TestBroker home;
  private final List<Connection> connections = new ArrayList<>();

  /** The names of queues whose declaration is not in force at home yet. */
  final Set<String> late = new HashSet<>();

  private boolean reachable = true;
  private boolean writable = true;
  private int version = LinkVersion.HIGHEST;

  /** How many frames have been sent to the home node. */
  int frames;

  MemoryLinks(TestBroker home) {
    this.home = home;
  }

  private final class Connection {
    private final Shard near;
    private final LinkListener listener;
    private OwnerLink far;
    private Shard farShard;

    Connection(Shard near, LinkListener listener) {
      this.near = near;
      this.listener = listener;
    }

    void open() {
      farShard = home.shards.get(near.index() % home.shards.count());
      OwnerLink opened = new OwnerLink(farShard, home.partitions, lookup());
      far = opened;
      farShard.execute(() -> opened.up(new Port(this, near, listener)));
      near.execute(() -> listener.up(new Port(this, farShard, opened)));
    }

    void lose(String why) {
      OwnerLink lost = far;
      if (lost != null) {
        far = null;
        farShard.execute(() -> lost.lost(why));
        near.execute(() -> listener.lost(why));
      }
    }
  }

  private final class Port implements LinkPort {
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
      frames++;
      to.execute(
          () -> {
            if (connection.far == incarnation) {
              receive(type, copy);
            }
          });
    }

    private void receive(int type, byte[] body) {
      try {
        receiver.frame(type, new ByteReader(body, body.length));
      } catch (ByteFormatException e) {
        connection.lose(e.getMessage());
      }
    }

    @Override
    public int version() {
      return version;
    }

    @Override
    public boolean isWritable() {
      return writable;
    }

    @Override
    public void close(String why) {
      connection.lose(why);
    }
  }

  private QueueLookup lookup() {
    return new QueueLookup() {
      @Override
      public Queue find(String vhost, String name, long id) {
        Queue found = late.contains(name) ? null : home.vhost.routing().queue(name);
        return found == null || found.id() != id ? null : found;
      }

      @Override
      public boolean mayCome(String vhost, String name, long id) {
        return late.contains(name);
      }
    };
  }

  @Override
  public void connect(String node, Shard shard, LinkListener listener) {
    Connection connection = new Connection(shard, listener);
    connections.add(connection);
    if (reachable) {
      connection.open();
    } else {
      shard.execute(() -> listener.lost("unreachable"));
    }
  }

  /** Sets the version that both nodes know, for connections that are opened from now on. */
  void setVersion(int common) {
    version = common;
  }

  /** The home node cannot be reached from now on. */
  void cut() {
    reachable = false;
    connections.forEach(connection -> connection.lose("cut"));
  }

  /** It can be reached again. */
  void mend() {
    reachable = true;
    connections.forEach(Connection::open);
  }

  /** Sets whether what is sent is read. */
  void setWritable(boolean now) {
    writable = now;
    if (now) {
      connections.forEach(
          connection -> connection.farShard.execute(() -> connection.far.writable()));
    }
  }
}
