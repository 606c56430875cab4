package io.mayflymq.server.cluster.link;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.cluster.transport.HandshakeResult;
import io.mayflymq.server.cluster.transport.NodeIdentity;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.Purpose;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A link to another node, which is opened again whenever it is lost. On its shard's loop. */
final class OutgoingLink implements HandshakeResult {
  /**
   * Where a link leads.
   *
   * @param node the name of the node
   * @param purpose what the connection is for
   * @param obstacle returns why it cannot be opened at the moment, in one line
   */
  record Target(String node, Purpose purpose, Supplier<Optional<String>> obstacle) {}

  /**
   * How soon it is opened again, in ms.
   *
   * @param first until the first attempt; doubles with each one
   * @param last the longest time between attempts
   * @param stable so long a connection has to last for the next attempt to be the first one again
   */
  record Retries(int first, int last, int stable) {}

  private final Target target;
  private final Retries retries;
  private final Shard shard;
  private final EventLoop loop;
  private final LinkListener listener;
  private final NodeTransport transport;
  private final UnreadableFrames unreadable;
  private volatile String ended;
  private LinkConnection connection;
  private long openedAtNanos;
  private int retryMillis;

  /**
   * What a link belongs to on this node.
   *
   * @param loop the shard's
   * @param listener told of each connection, in bursts of the shard
   */
  record Origin(Shard shard, EventLoop loop, LinkListener listener) {}

  /** Creates it; it is not opened yet. */
  OutgoingLink(
      Target target,
      Retries retries,
      Origin origin,
      NodeTransport transport,
      UnreadableFrames unreadable) {
    this.target = target;
    this.retries = retries;
    this.shard = origin.shard();
    this.loop = origin.loop();
    this.listener = origin.listener();
    this.transport = transport;
    this.unreadable = unreadable;
    this.retryMillis = retries.first();
  }

  String node() {
    return target.node();
  }

  /** Connects. Any thread may call. */
  void open() {
    if (ended != null || transport.isClosed()) {
      return;
    }
    Optional<String> obstacle = target.obstacle().get();
    if (obstacle.isEmpty()) {
      transport.open(target.node(), target.purpose(), loop, this);
    } else {
      loop.execute(() -> failed(null, obstacle.get(), false));
    }
  }

  /** Ends it for good. Any thread may call. */
  void end(String why) {
    ended = why;
    close(why);
  }

  /** Closes the connection, which is opened again later. Any thread may call. */
  void close(String why) {
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
    openedAtNanos = System.nanoTime();
    LinkConnection made =
        new LinkConnection(
            shard,
            listener,
            version,
            transport.times(),
            unreadable.of(target.purpose(), target.node(), this::closed));
    connection = made;
    String why = ended;
    loop.execute(why == null ? made::opened : () -> made.close(why));
    return made;
  }

  @Override
  public void failed(Channel channel, String reason, boolean refusal) {
    try {
      shard.run(() -> listener.lost(reason));
    } finally {
      openLater();
    }
  }

  private void openLater() {
    if (ended == null && !loop.isShuttingDown()) {
      loop.schedule(this::open, retryMillis, TimeUnit.MILLISECONDS);
      retryMillis = Math.min(retryMillis * 2, retries.last());
    }
  }

  private void closed(String why) {
    connection = null;
    long lasted = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedAtNanos);
    if (lasted >= retries.stable()) {
      retryMillis = retries.first();
    }
    openLater();
  }
}
