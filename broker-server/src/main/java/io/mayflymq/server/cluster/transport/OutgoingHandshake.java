package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.Optional;

/** The side of the handshake that connects. */
final class OutgoingHandshake extends NodeHandshake {
  /**
   * What is expected of the other side.
   *
   * @param node its name; empty if any node may answer, whether it is admitted or not
   * @param purpose what the connection is for
   */
  public record Expected(Optional<String> node, Purpose purpose) {}

  private final Expected expected;
  private Hello listener;
  private byte[] ofCaller;
  private byte[] ofListener;

  /**
   * Creates the handler of a connection that this node opens.
   *
   * @param result told on the connection's loop
   * @param timeoutMillis how long all of it may take
   */
  public OutgoingHandshake(
      LocalNode local, Expected expected, HandshakeResult result, long timeoutMillis) {
    super(local, result, timeoutMillis);
    this.expected = expected;
  }

  /** There is no connection: nothing is told of the handshake. On the connection's loop. */
  public void notConnected() {
    abandon();
  }

  @Override
  void begin(ChannelHandlerContext context) {
    ofCaller = sendHello(context, expected.purpose(), true);
  }

  @Override
  void message(ChannelHandlerContext context, int type, ByteBuf body) throws HandshakeException {
    if (listener == null && type == HELLO) {
      ofListener = bytes(body);
      listener = Hello.read(body);
      version(listener);
      String name = listener.node().name();
      if (expected.node().isPresent() && !expected.node().get().equals(name)) {
        throw new HandshakeException(
            "node %s was expected at %s, and %s answered"
                .formatted(expected.node().get(), context.channel().remoteAddress(), name));
      }
      // Refused before this side proves anything, so that the other one can be told why.
      if (expected.node().isPresent()) {
        Optional<String> refusal = local().admission().refusal(listener.node());
        if (refusal.isPresent()) {
          throw new HandshakeException(refusal.get());
        }
      }
      byte[] proof = proof(context, BY_CALLER, ofCaller, ofListener);
      send(context, PROOF, Unpooled.wrappedBuffer(proof));
    } else if (listener != null && type == PROOF) {
      if (!isEqual(proof(context, BY_LISTENER, ofCaller, ofListener), body)) {
        throw new HandshakeException(WRONG_SECRET);
      }
      complete(context, listener.node(), version(listener), expected.purpose());
    } else {
      throw new HandshakeException("unexpected message " + type + " in the handshake");
    }
  }

  @Override
  byte[] certificates(ChannelHandlerContext context) {
    return Certificates.both(context, false);
  }
}
