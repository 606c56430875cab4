package io.mayflymq.server.cluster.transport;

import io.mayflymq.server.cluster.transport.handshake.NodeIdentity;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/** Takes connections for queues that other nodes have opened. Called on event loops. */
public interface QueueConnections {
  /**
   * Takes a connection.
   *
   * @param node the other side
   * @param version of the protocol, which both nodes know
   * @param loop the number of the event loop at the other side
   * @param onClosed to be called with the reason when the connection is closed
   * @return what handles its frames
   */
  FrameHandler accept(NodeIdentity node, int version, int loop, Consumer<String> onClosed);

  /** Returns the event loop that is to serve a connection of that number. */
  EventLoop loop(int number);
}
