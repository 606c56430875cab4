package io.mayflymq.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection whose client may still be sending. If the socket was closed at once, the
 * system would reset the connection, and the client might lose the answer before reading it. So
 * nothing more is sent, received bytes are discarded, and the socket is closed when the client has
 * closed it, or after a timeout (RFC 9112, section 9.6).
 */
final class LingeringClose extends ChannelInboundHandlerAdapter {
  private static final long PATIENCE_MILLIS = 2_000;

  private LingeringClose() {}

  /** Begins to close; everything to be sent must have been written to the socket. */
  static void begin(Channel channel) {
    if (!channel.isActive()) {
      return;
    }
    // First in the pipeline, so that nothing is decoded any more.
    channel.pipeline().addFirst(new LingeringClose());
    Future<?> timer =
        channel.eventLoop().schedule(() -> channel.close(), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    channel.closeFuture().addListener(closed -> timer.cancel(false));
    channel.config().setAutoRead(true);
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls != null && tls.handshakeFuture().isSuccess()) {
      tls.closeOutbound().addListener(told -> shutDown(channel));
    } else {
      shutDown(channel);
    }
  }

  private static void shutDown(Channel channel) {
    if (channel instanceof DuplexChannel duplex && duplex.isActive()) {
      duplex.shutdownOutput();
    } else {
      channel.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      context.close();
    } else {
      context.fireUserEventTriggered(event);
    }
  }
}
