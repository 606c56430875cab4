package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * The handshake between two nodes:
 *
 * <pre>{@code
 * the side that connects               the side that listens
 * HELLO: versions, nonce, purpose, name, data directory, cluster,
 *        signature                     (nothing is told of this side before it is right)
 *                                      HELLO: the same of its own, not signed
 * PROOF                                (nothing else is read before it is right)
 *                                      PROOF, or REFUSAL with a text
 * }</pre>
 *
 * <p>The signature is an HMAC-SHA256 with the shared secret as the key, over the HELLO before it
 * and, with TLS, both certificates. It keeps strangers from learning the name, data directory and
 * cluster of the side that listens. It is no proof, as without TLS it can be heard and sent again.
 *
 * <p>A proof is an HMAC-SHA256 with the shared secret as the key, over the direction, both HELLOs
 * as they were sent and, with TLS, both certificates. So it covers nonces, names and versions; a
 * side cannot be made to compute the proof that it expects itself, as the direction differs; and a
 * relay between two TLS connections has other certificates. The side that connects proves first:
 * what can be guessed at from a proof is not given to any caller.
 *
 * <p>Each message is a magic number (4 bytes), its length (2), its type (1) and its body.
 */
abstract sealed class NodeHandshake extends ByteToMessageDecoder
    permits IncomingHandshake, OutgoingHandshake {
  static final int MAGIC = 0x4d46_4c59;
  static final int HELLO = 1;
  static final int PROOF = 2;
  static final int REFUSAL = 3;

  static final byte[] HELLO_OF_CALLER =
      "MayflyMQ hello of the caller".getBytes(StandardCharsets.UTF_8);
  static final byte[] BY_CALLER = "MayflyMQ proof of the caller".getBytes(StandardCharsets.UTF_8);
  static final byte[] BY_LISTENER =
      "MayflyMQ proof of the listener".getBytes(StandardCharsets.UTF_8);

  static final String WRONG_SECRET = "cluster.secret is not the same on both nodes";

  private static final int LARGEST_MESSAGE = 2048;
  private static final int LARGEST_REFUSAL = 1024;
  private static final int HEADER = 7;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final LocalNode local;
  private final HandshakeResult result;
  private final long timeoutMillis;
  private boolean begun;
  private boolean ended;

  /** Cancelled at the end: callers may come and go at a high rate, and it refers to each. */
  private Future<?> timeout;

  NodeHandshake(LocalNode local, HandshakeResult result, long timeoutMillis) {
    this.local = local;
    this.result = result;
    this.timeoutMillis = timeoutMillis;
  }

  LocalNode local() {
    return local;
  }

  static byte[] nonce() {
    byte[] nonce = new byte[Hello.NONCE];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  /** Processes a message. */
  abstract void message(ChannelHandlerContext context, int type, ByteBuf body)
      throws HandshakeException;

  /** Sends what this side begins with, if it does. */
  abstract void begin(ChannelHandlerContext context);

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    timeout =
        context
            .executor()
            .schedule(
                () -> end(context, "no handshake within " + timeoutMillis + " ms", false),
                timeoutMillis,
                TimeUnit.MILLISECONDS);
    if (context.channel().isActive()) {
      beginUnlessTls(context);
    }
  }

  private void beginUnlessTls(ChannelHandlerContext context) {
    if (!begun && context.pipeline().get(SslHandler.class) == null) {
      begun = true;
      begin(context);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) throws Exception {
    beginUnlessTls(context);
    super.channelActive(context);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof SslHandshakeCompletionEvent tls) {
      if (tls.isSuccess()) {
        begin(context);
      } else {
        end(context, describe(tls.cause()), true);
      }
    }
    super.userEventTriggered(context, event);
  }

  @Override
  protected final void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (ended) {
      in.skipBytes(in.readableBytes());
      return;
    }
    try {
      int readable = in.readableBytes();
      if (readable >= Integer.BYTES && in.getInt(in.readerIndex()) != MAGIC) {
        throw new HandshakeException(
            "what was sent is not the protocol between nodes; are address, port and cluster.ssl"
                + " right?");
      }
      if (readable < HEADER) {
        return;
      }
      int length = in.getUnsignedShort(in.readerIndex() + Integer.BYTES);
      if (length > LARGEST_MESSAGE) {
        throw new HandshakeException(
            "a message of %d bytes in the handshake; at most %d are allowed"
                .formatted(length, LARGEST_MESSAGE));
      }
      if (readable < HEADER + length) {
        return;
      }
      in.skipBytes(HEADER - 1);
      int type = in.readUnsignedByte();
      ByteBuf body = in.readSlice(length);
      if (type == REFUSAL) {
        String text = body.toString(StandardCharsets.UTF_8);
        end(context, "the other node refused it: " + Lines.printable(text), true);
      } else {
        message(context, type, body);
      }
    } catch (HandshakeException e) {
      refuse(context, e.getMessage());
    }
  }

  /** Tells the other side why it is refused, and closes the connection. */
  final void refuse(ChannelHandlerContext context, String reason) {
    if (!ended) {
      byte[] text = reason.getBytes(StandardCharsets.UTF_8);
      ByteBuf body = context.alloc().buffer();
      body.writeBytes(text, 0, Math.min(text.length, LARGEST_REFUSAL));
      endNow();
      send(context, REFUSAL, body);
      context.writeAndFlush(context.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
      result.failed(context.channel(), reason, true);
    }
  }

  /** Sends a message; the body is released. Returns it as it was sent. */
  final byte[] send(ChannelHandlerContext context, int type, ByteBuf body) {
    byte[] sent = new byte[body.readableBytes()];
    body.readBytes(sent).release();
    ByteBuf out = context.alloc().buffer(HEADER + sent.length);
    out.writeInt(MAGIC).writeShort(sent.length).writeByte(type).writeBytes(sent);
    context.writeAndFlush(out);
    return sent;
  }

  /** Sends a HELLO, and returns it as it was sent. */
  final byte[] sendHello(ChannelHandlerContext context, Purpose purpose, boolean signed) {
    ByteBuf body = context.alloc().buffer();
    new Hello(local.versions(), purpose, local.identity()).write(body, nonce());
    if (signed) {
      body.writeBytes(signature(context, bytes(body)));
    }
    return send(context, HELLO, body);
  }

  /** Returns what a caller signs its HELLO with. */
  final byte[] signature(ChannelHandlerContext context, byte[] hello) {
    return local.secret().sign(HELLO_OF_CALLER, hello, certificates(context));
  }

  /** Returns the body of a message, which stays readable. */
  static byte[] bytes(ByteBuf body) {
    byte[] bytes = new byte[body.readableBytes()];
    body.getBytes(body.readerIndex(), bytes);
    return bytes;
  }

  /** Returns the version that is used with another node. */
  final int version(Hello other) throws HandshakeException {
    int common = local.versions().common(other.versions());
    if (common == 0) {
      throw new HandshakeException(
          "no common version of the protocol between nodes: one knows %s, the other one %s"
              .formatted(local.versions(), other.versions()));
    }
    return common;
  }

  /** Returns the proof of a direction. */
  final byte[] proof(
      ChannelHandlerContext context, byte[] direction, byte[] ofCaller, byte[] ofListener) {
    return local.secret().sign(direction, ofCaller, ofListener, certificates(context));
  }

  static boolean isEqual(byte[] expected, ByteBuf proof) {
    return MessageDigest.isEqual(expected, bytes(proof));
  }

  /** Returns the certificates of both sides, that of the listener first; nothing without TLS. */
  abstract byte[] certificates(ChannelHandlerContext context);

  /** Has another handler take over. */
  final void complete(
      ChannelHandlerContext context, NodeIdentity node, int version, Purpose purpose) {
    endNow();
    ChannelHandler next = result.established(context.channel(), node, version, purpose);
    context.pipeline().addLast(new NodeFrameDecoder(), next);
    context.pipeline().remove(this);
  }

  /** Ends it before it has begun, as there is no connection. On the connection's loop. */
  final void abandon() {
    endNow();
  }

  private void endNow() {
    ended = true;
    if (timeout != null) {
      timeout.cancel(false);
    }
  }

  /** Closes the connection without an answer. */
  final void end(ChannelHandlerContext context, String reason, boolean refusal) {
    if (!ended) {
      endNow();
      context.close();
      result.failed(context.channel(), reason, refusal);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    super.channelInactive(context);
    end(context, "the other side closed the connection during the handshake", false);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    end(context, describe(cause), cause.getCause() instanceof SSLException);
  }

  private static String describe(Throwable cause) {
    Throwable reason =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    if (reason instanceof NotSslRecordException) {
      return "what was sent is not TLS; cluster.ssl must be set on all nodes or on none";
    }
    String prefix = reason instanceof SSLException ? "TLS: " : "";
    return prefix + Lines.printable(String.valueOf(reason.getMessage()));
  }
}
