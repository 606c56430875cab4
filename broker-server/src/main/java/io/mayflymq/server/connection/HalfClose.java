package io.mayflymq.server.connection;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/**
 * Closes the output of a socket and continues to read. If a socket is closed while received bytes
 * are unread, the system may drop bytes that were sent, such as the last reply. The client sees the
 * end of the stream, and closes the socket.
 */
final class HalfClose {
  private HalfClose() {}

  /** Closes the output after everything written so far; on the socket's event loop. */
  static void of(Channel socket) {
    SslHandler tls = socket.pipeline().get(SslHandler.class);
    if (tls != null) {
      tls.closeOutbound();
    } else if (socket instanceof DuplexChannel duplex) {
      socket.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> duplex.shutdownOutput());
    }
  }
}
