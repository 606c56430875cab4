package io.mayflymq.server.cluster.link;

import io.mayflymq.core.link.LinkListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.handshake.HandshakeResult;
import io.mayflymq.server.cluster.transport.handshake.NodeIdentity;
import io.mayflymq.server.cluster.transport.handshake.Purpose;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** A link to another node, which is opened again whenever it is lost. On its shard's loop. */
final class OutgoingLink implements HandshakeResult {
  private final String node;
  private final Shard shard;
  private final EventLoop loop;
  private final LinkListener listener;
  private final NodeTransport transport;
  private volatile boolean ended;
  private LinkConnection connection;
  private int retryMillis;

  OutgoingLink(
      String node, Shard shard, EventLoop loop, LinkListener listener, NodeTransport transport) {
    this.node = node;
    this.shard = shard;
    this.loop = loop;
    this.listener = listener;
    this.transport = transport;
    this.retryMillis = transport.times().firstRetry();
  }

  String node() {
    return node;
  }

  /** Connects. Any thread may call. */
  void open() {
    if (!ended && !transport.isClosed()) {
      transport.openQueues(node, shard.index(), loop, this);
    }
  }

  /** Ends it for good. Any thread may call. */
  void end(String why) {
    ended = true;
    loop.execute(
        () -> {
          if (connection != null) {
            connection.close(why);
          }
        });
  }

  @Override
  public ChannelHandler established(
      Channel channel, NodeIdentity other, int version, Purpose purpose) {
    retryMillis = transport.times().firstRetry();
    LinkConnection made =
        new LinkConnection(shard, listener, version, transport.times(), this::lost);
    connection = made;
    loop.execute(made::opened);
    return made;
  }

  @Override
  public void failed(Channel channel, String reason, boolean refusal) {
    shard.run(() -> listener.lost(reason));
    openLater();
  }

  private void lost(String why) {
    connection = null;
    openLater();
  }

  private void openLater() {
    if (!ended && !loop.isShuttingDown()) {
      loop.schedule(this::open, retryMillis, TimeUnit.MILLISECONDS);
      retryMillis = Math.min(retryMillis * 2, transport.times().lastRetry());
    }
  }
}
