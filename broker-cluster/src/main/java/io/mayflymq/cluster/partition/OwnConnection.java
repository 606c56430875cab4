package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.remote.PartitionHost;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.runtime.Shard;
import java.util.function.Supplier;

/**
 * The connection of a node to a partition that it leads itself. It is open while the node leads. On
 * the partition's shard.
 */
final class OwnConnection implements PartitionHost.Connection, LinkListener {
  /** After how long it is opened again. */
  private static final long PAUSE_MILLIS = 10;

  private final Shard shard;
  private final LinkListener listener;
  private final Supplier<LinkListener> queues;
  private Loopback open;
  private boolean ended;

  /**
   * Creates it; it opens with {@link #openSoon}.
   *
   * @param listener told of it
   * @param queues takes a connection; gives null while this node does not lead
   */
  OwnConnection(Shard shard, LinkListener listener, Supplier<LinkListener> queues) {
    this.shard = shard;
    this.listener = listener;
    this.queues = queues;
  }

  /** Opens it, if this node leads. */
  void openSoon() {
    shard.execute(this::openNow);
  }

  private void openNow() {
    if (ended || open != null) {
      return;
    }
    LinkListener far = queues.get();
    if (far != null) {
      open = new Loopback(shard, this, far);
      open.open();
    }
  }

  @Override
  public void end() {
    ended = true;
    if (open != null) {
      open.close("the leader has changed");
    }
  }

  @Override
  public void up(LinkPort port) {
    listener.up(port);
  }

  @Override
  public void frame(int type, ByteReader body) {
    listener.frame(type, body);
  }

  @Override
  public void writable() {
    listener.writable();
  }

  @Override
  public void lost(String why) {
    open = null;
    listener.lost(why);
    shard.loop().schedule(() -> shard.run(this::openNow), PAUSE_MILLIS);
  }
}
