package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.protocol.codec.FrameDecoder;
import io.mayflymq.protocol.codec.ProtocolHeader;
import io.mayflymq.protocol.types.AmqpException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import javax.net.ssl.SSLException;

/**
 * The last handler of the pipeline. Collects bytes until frames are complete, and has them decoded
 * in a burst of the connection's shard. While the connection is suspended, received bytes wait
 * here. The socket is no longer read once there are many of them, or at once if an alarm is the
 * reason.
 */
public final class AmqpConnectionHandler extends ChannelInboundHandlerAdapter {
  private static final int MOST_WAITING_BYTES = 256 * 1024;

  private final ConnectionEnvironment environment;
  private final Shard home;
  private final Runnable decode = this::decode;
  private final Runnable letGo = this::letGo;
  private ChannelHandlerContext context;
  private AmqpConnection connection;
  private FrameDecoder decoder;
  private ByteBuf waiting;

  /** The channel whose client is within the broker; null if there is none. Any thread. */
  private volatile InnerEnd inner;

  private boolean headerRead;
  private boolean decoding;

  /** Whether bytes that were read together with others are of the same turn. */
  private boolean reading;

  /** Whether the turn is over, and the next one will come. */
  private boolean awaitsTurn;

  /** Whether what was read is not handled before the clock stands again. */
  private boolean held;

  /** Whether the socket is closed; what was read before is handled all the same. */
  private boolean inactive;

  /**
   * Creates the input of one connection.
   *
   * @param environment what all connections of the server share
   * @param home the shard on its loop
   */
  public AmqpConnectionHandler(ConnectionEnvironment environment, Shard home) {
    this.environment = environment;
    this.home = home;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    connection = new AmqpConnection(ctx.channel(), environment, home, this);
    decoder = new FrameDecoder(connection, environment.settings().initialFrameMax());
    home.loop()
        .schedule(connection::onHandshakeTimeout, environment.settings().handshakeTimeoutMillis());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf read = (ByteBuf) message;
    connection.heard(read.readableBytes());
    waiting =
        waiting == null
            ? read
            : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), waiting, read);
    if (!reading) {
      reading = true;
      beginTurn();
    }
    home.run(decode);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reading = false;
  }

  private void beginTurn() {
    if (!awaitsTurn) {
      connection.turn().begin();
    }
  }

  private void nextTurn() {
    awaitsTurn = false;
    resume();
  }

  private void decode() {
    if ((waiting == null && inner == null) || decoding || isHeld()) {
      return;
    }
    decoding = true;
    try {
      decodeAll();
    } catch (AmqpException e) {
      connection.fail(0, e);
      // Frame boundaries are lost, so the rest of the bytes cannot be decoded.
      skipAll();
    } catch (Throwable e) {
      connection.failInternally(e);
      skipAll();
    } finally {
      decoding = false;
    }
    connection.endOfRead();
    tidy();
  }

  private void decodeAll() {
    boolean whole = !connection.publishBlocker().look();
    if (waiting != null && (headerRead || readProtocolHeader())) {
      decoder.setWholeMessages(whole);
      decoder.decode(waiting);
    }
    if (inner != null) {
      inner.work();
    }
  }

  private void skipAll() {
    if (waiting != null) {
      waiting.skipBytes(waiting.readableBytes());
    }
  }

  /** Returns a channel for a client within the broker; of a connection there is one. */
  InnerEnd within(int channel) {
    InnerEnd end = new InnerEnd(connection, channel, () -> home.execute(this::resume));
    inner = end;
    return end;
  }

  private boolean isHeld() {
    if (!held && environment.held().holds(letGo)) {
      held = true;
      context.channel().config().setAutoRead(false);
    }
    return held;
  }

  private void letGo() {
    held = false;
    home.run(this::resume);
  }

  private boolean readProtocolHeader() {
    switch (ProtocolHeader.parse(waiting)) {
      case ACCEPTED -> {
        headerRead = true;
        connection.begin();
        return true;
      }
      case REFUSED -> {
        connection.log().foreignProtocol(ForeignProtocol.onPlainPort(waiting));
        headerRead = true;
        waiting.skipBytes(waiting.readableBytes());
        ByteBuf answer = context.alloc().buffer(ProtocolHeader.LENGTH);
        ProtocolHeader.writeTo(answer);
        context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
        return false;
      }
      default -> {
        return false;
      }
    }
  }

  private void tidy() {
    if (connection.turn().isOver() && !awaitsTurn) {
      awaitsTurn = true;
      home.executeLater(this::nextTurn);
    }
    if (waiting == null) {
      return;
    }
    if (!waiting.isReadable()) {
      waiting.release();
      waiting = null;
    } else {
      waiting.discardSomeReadBytes();
    }
    boolean mayRead =
        !connection.publishBlocker().isBlocked()
            && !awaitsTurn
            && (waiting == null
                || !connection.isSuspended()
                || waiting.readableBytes() < MOST_WAITING_BYTES);
    if (context.channel().config().isAutoRead() != mayRead) {
      context.channel().config().setAutoRead(mayRead);
    }
  }

  /**
   * Decodes the bytes that wait; called when the connection is no longer suspended, in a burst of
   * the home shard.
   */
  void resume() {
    beginTurn();
    decode();
    if (inactive) {
      endIfHandled();
    } else if (!held && !context.channel().config().isAutoRead() && !connection.isSuspended()) {
      context.channel().config().setAutoRead(true);
    }
  }

  void setFrameMax(int bytes) {
    decoder.setFrameMax(bytes);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    home.run(connection::writabilityChanged);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    inactive = true;
    home.run(
        () -> {
          connection.outputIsGone();
          resume();
        });
  }

  /**
   * Ends the connection once its socket is closed and what was received before is handled: it may
   * have to wait for its next turn or for other shards, which {@link #resume} follows.
   */
  private void endIfHandled() {
    if (held || awaitsTurn || connection.awaitsOthers() || connection.hasEnded()) {
      return;
    }
    connection.ended();
    if (waiting != null) {
      waiting.release();
      waiting = null;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof DecoderException && cause.getCause() instanceof SSLException refused) {
      connection.log().tlsFailed(ForeignProtocol.onTlsPort(refused));
      ctx.close();
    } else if (cause instanceof IOException) {
      connection.log().socketError(cause);
      ctx.close();
    } else if (connection == null) {
      home.faults().report("connection", ConnectionName.of(ctx.channel()), cause);
      ctx.close();
    } else {
      home.run(() -> connection.failInternally(cause));
    }
  }
}
