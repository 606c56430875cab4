package io.mayflymq.server.cluster.transport;

/** Is told of other nodes. Called on event loops, so it must not block. */
public interface PeerListener {
  /** A connection to a node was made. */
  default void up(NodeIdentity node) {}

  /**
   * The connection to a node that was {@link #up} was lost.
   *
   * @param reason in one line
   */
  default void down(String node, String reason) {}

  /**
   * The process of a node that was {@link #up} has ended: it was lost, and its address refuses
   * connections.
   */
  default void ended(String node) {}

  /**
   * A node was {@link NodeTransport#disconnect disconnected}: what keeps connections to it open has
   * to end them now.
   */
  default void disconnected(String node) {}
}
