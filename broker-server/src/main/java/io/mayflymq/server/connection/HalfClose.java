package io.mayflymq.server.connection;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/**
 * Ends what goes out to a client, and reads on: a socket that is closed with something unread makes
 * the system drop what was sent, such as the last reply. The client sees the end of the stream, and
 * closes the socket.
 */
final class HalfClose {
  private HalfClose() {}

  /** Does so behind what has been written to a socket; on its event loop. */
  static void of(Channel socket) {
    SslHandler tls = socket.pipeline().get(SslHandler.class);
    if (tls != null) {
      tls.closeOutbound();
    } else if (socket instanceof DuplexChannel duplex) {
      socket.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> duplex.shutdownOutput());
    }
  }
}
