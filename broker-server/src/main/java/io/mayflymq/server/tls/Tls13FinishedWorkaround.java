package io.mayflymq.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * Has the JDK's engine send its Finished message in a record of its own, in TLS 1.3.
 *
 * <p>The engine packs all encrypted messages of its flight into as few records as it can. That is
 * legal, but RabbitMQ's Java client on NIO then waits for more before it sends its own Finished, as
 * it expects a record with nothing left to compute behind it; with Erlang's or OpenSSL's one record
 * per message it does not. The engine has no option for this, but a largest packet: while that is
 * less than a Finished, no record can hold the end of the message before and all of the Finished.
 *
 * <p>Stands between the socket and the SslHandler, until the handshake is over.
 */
final class Tls13FinishedWorkaround extends ChannelDuplexHandler {
  private static final String VERSION = "TLSv1.3";
  private static final byte PLAIN_HANDSHAKE_RECORD = 22;

  /** A Finished is 36 bytes or more; a record of TLS 1.3 adds a header, a type and a tag. */
  private static final int SMALL = 35 + 5 + 1 + 16;

  private final SslHandler tls;
  private final int usual;

  Tls13FinishedWorkaround(SslHandler tls) {
    this.tls = tls;
    this.usual = tls.engine().getSession().getPacketBufferSize();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    tls.handshakeFuture()
        .addListener(
            done -> {
              if (!context.isRemoved()) {
                context.pipeline().remove(this);
              }
            });
  }

  /**
   * Called for bytes from the client; the answer begins with a ServerHello, which should be in one
   * record.
   */
  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    limitPackets(usual);
    context.fireChannelRead(message);
  }

  /**
   * Called for bytes to the client; after the ServerHello, which is not encrypted, encrypted
   * messages follow.
   */
  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof ByteBuf record
        && record.isReadable()
        && record.getByte(record.readerIndex()) == PLAIN_HANDSHAKE_RECORD
        && isVersion13()) {
      limitPackets(SMALL);
    }
    context.write(message, promise);
  }

  private boolean isVersion13() {
    SSLSession negotiating = tls.engine().getHandshakeSession();
    return negotiating != null && negotiating.getProtocol().equals(VERSION);
  }

  private void limitPackets(int bytes) {
    SSLEngine engine = tls.engine();
    SSLParameters parameters = engine.getSSLParameters();
    if (parameters.getMaximumPacketSize() != bytes) {
      parameters.setMaximumPacketSize(bytes);
      engine.setSSLParameters(parameters);
    }
  }
}
