package io.mayflymq.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers clients at once that use TLS on a plain port, or plain HTTP on a port with TLS. It is the
 * first handler of the pipeline until the first byte is received.
 */
final class FirstBytes extends ChannelInboundHandlerAdapter {
  private static final Logger LOGGER = LoggerFactory.getLogger(FirstBytes.class);

  /** How every record of a TLS handshake begins; no request of HTTP does. */
  private static final byte TLS_HANDSHAKE = 0x16;

  private static final String TLS_TO_PLAIN =
      "This port speaks plain HTTP, and what came was TLS: use http:// or the port for HTTPS";
  private static final String PLAIN_TO_TLS =
      "The plain HTTP request was sent to HTTPS port: use https://";

  private final boolean encrypted;

  /**
   * @param encrypted whether TLS is spoken here
   */
  FirstBytes(boolean encrypted) {
    this.encrypted = encrypted;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    ByteBuf bytes = (ByteBuf) message;
    if (!bytes.isReadable()) {
      bytes.release();
      return;
    }
    boolean isTls = bytes.getByte(bytes.readerIndex()) == TLS_HANDSHAKE;
    if (isTls == encrypted) {
      context.pipeline().remove(this);
      context.fireChannelRead(message);
      return;
    }
    bytes.release();
    String text = encrypted ? PLAIN_TO_TLS : TLS_TO_PLAIN;
    LOGGER.warn(
        "HTTP {}: {}",
        NetUtil.toSocketAddressString((InetSocketAddress) context.channel().remoteAddress()),
        encrypted
            ? "sent plain text to the port for HTTPS"
            : "sent TLS to the port for plain HTTP");
    byte[] body = (text + "\r\n").getBytes(StandardCharsets.US_ASCII);
    String head =
        "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: close\r\n"
            + "content-length: %d\r\n\r\n".formatted(body.length);
    // From here, so that the TLS that is behind does not encrypt it.
    context
        .writeAndFlush(Unpooled.wrappedBuffer(head.getBytes(StandardCharsets.US_ASCII), body))
        .addListener(written -> LingeringClose.begin(context.channel()));
  }
}
