package io.mayflymq.server.cluster.transport;

import io.mayflymq.server.cluster.transport.handshake.NodeIdentity;

/** Is told which nodes are reachable. Called on event loops, so it must not block. */
public interface PeerListener {
  /** A connection to a node was made. */
  void up(NodeIdentity node);

  /**
   * The connection to a node that was {@link #up} was lost.
   *
   * @param reason in one line
   */
  void down(String node, String reason);
}
