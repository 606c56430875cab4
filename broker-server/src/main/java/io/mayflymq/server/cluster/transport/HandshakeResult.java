package io.mayflymq.server.cluster.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;

/**
 * What becomes of a handshake. {@link #established} or {@link #failed} is called once, on the
 * connection's loop.
 */
public interface HandshakeResult {
  /**
   * Both sides have proven to know the secret, and each lets the other in.
   *
   * @param node the other side
   * @param version of the protocol that is used
   * @param purpose what the side that connected wants
   * @return what handles frames from now on: buffers of type and body, as the decoder of frames
   *     passes them on; the connection is active already when it is added
   */
  ChannelHandler established(Channel channel, NodeIdentity node, int version, Purpose purpose);

  /**
   * The address refuses connections: no process listens there. {@link #failed} follows. It is not
   * told if the system says this in a language other than English.
   */
  default void connectionRefused() {}

  /**
   * It failed; the connection is being closed.
   *
   * @param reason in one line
   * @param refusal whether one of the nodes refused the other, rather than that the connection was
   *     lost
   */
  void failed(Channel channel, String reason, boolean refusal);
}
