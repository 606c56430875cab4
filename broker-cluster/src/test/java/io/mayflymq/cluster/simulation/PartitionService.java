package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import java.util.function.Function;

/**
 * What a connection to a node is for: its replica of a partition, or the queues of one that it
 * leads. The node says in the first frame that it takes the connection, or closes it.
 */
record PartitionService(
    int partition, boolean isOfReplica, Function<ReplicaManager, LinkListener> taker) {
  /** The type of the frame by which a node takes a connection. */
  static final int TAKEN = 80;

  static PartitionService ofReplica(int partition) {
    return new PartitionService(partition, true, replicas -> replicas.acceptLeader(partition));
  }

  static PartitionService ofQueues(int partition, String node) {
    return new PartitionService(
        partition, false, replicas -> replicas.acceptQueues(partition, node));
  }

  Shard shard(NodeProcess at) {
    return at.control().hosted().shard(partition);
  }

  LinkListener listener(NodeProcess at) {
    return new Answering(() -> taker.apply(at.control().hosted()));
  }

  private interface Taker {
    LinkListener take();
  }

  /** The side that takes the connection, or not. */
  private static final class Answering implements LinkListener {
    private final Taker taker;
    private LinkListener taken;

    Answering(Taker taker) {
      this.taker = taker;
    }

    @Override
    public void up(LinkPort port) {
      taken = taker.take();
      if (taken == null) {
        port.close("not taken");
      } else {
        port.send(TAKEN, new ByteWriter());
        taken.up(port);
      }
    }

    @Override
    public void frame(int type, ByteReader body) {
      taken.frame(type, body);
    }

    @Override
    public void writable() {
      if (taken != null) {
        taken.writable();
      }
    }

    @Override
    public void lost(String why) {
      if (taken != null) {
        taken.lost(why);
      }
    }
  }

  /** The side that has opened it, which sends nothing before it is taken. */
  static final class Asking implements LinkListener {
    private final LinkListener listener;
    private LinkPort asked;
    private boolean isTaken;

    Asking(LinkListener listener) {
      this.listener = listener;
    }

    @Override
    public void up(LinkPort port) {
      asked = port;
      isTaken = false;
    }

    @Override
    public void frame(int type, ByteReader body) {
      if (isTaken) {
        listener.frame(type, body);
      } else {
        isTaken = true;
        listener.up(asked);
      }
    }

    @Override
    public void writable() {
      if (isTaken) {
        listener.writable();
      }
    }

    @Override
    public void lost(String why) {
      isTaken = false;
      listener.lost(why);
    }
  }
}
