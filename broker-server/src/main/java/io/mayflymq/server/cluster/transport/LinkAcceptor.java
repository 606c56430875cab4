package io.mayflymq.server.cluster.transport;

import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/**
 * Takes connections of other nodes that have a shard: all but those for requests. Called on event
 * loops.
 */
public interface LinkAcceptor {
  /**
   * Takes a connection.
   *
   * @param node the other side
   * @param version of the protocol, which both nodes know
   * @param purpose what the other side wants
   * @param onClosed to be called with the reason when the connection is closed
   * @return what handles its frames
   */
  NodeFrameHandler accept(
      NodeIdentity node, int version, Purpose purpose, Consumer<String> onClosed);

  /** Returns the event loop that is to serve a connection. */
  EventLoop loop(Purpose purpose);
}
