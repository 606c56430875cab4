package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.store.StoreException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The connections that leaders have opened to a replica. What they send may be more than the disk
 * takes. On the partition's shard, but for {@link #guarded}.
 */
final class LeaderConnections {
  private final Consumer<StoreException> onFailure;
  private final Set<Guarded> open = new LinkedHashSet<>();
  private boolean isClosed;

  /**
   * Creates it without any.
   *
   * @param onFailure told that the disk does not take something
   */
  LeaderConnections(Consumer<StoreException> onFailure) {
    this.onFailure = onFailure;
  }

  /** Returns what takes a connection for a replica. Any thread may call. */
  LinkListener guarded(LinkListener replica) {
    return new Guarded(replica);
  }

  /** Closes all: a leader would wait for an answer, and does not open another one meanwhile. */
  void close() {
    isClosed = true;
    List.copyOf(open).forEach(each -> each.port.close("the replica is closed"));
  }

  private final class Guarded implements LinkListener {
    private final LinkListener replica;
    private LinkPort port;

    Guarded(LinkListener replica) {
      this.replica = replica;
    }

    @Override
    public void up(LinkPort opened) {
      port = opened;
      open.add(this);
      replica.up(opened);
      if (isClosed) {
        opened.close("the replica is closed");
      }
    }

    @Override
    public void frame(int type, ByteReader body) {
      try {
        replica.frame(type, body);
      } catch (StoreException e) {
        onFailure.accept(e);
      }
    }

    @Override
    public void writable() {
      replica.writable();
    }

    @Override
    public void lost(String why) {
      open.remove(this);
      replica.lost(why);
    }
  }
}
