package io.mayflymq.server.cluster.transport.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.Optional;

/** The side of the handshake that listens. */
public final class IncomingHandshake extends Handshake {
  private Hello caller;
  private byte[] ofCaller;
  private byte[] ofListener;

  /**
   * Creates the handler of a connection that was accepted.
   *
   * @param result told on the connection's loop
   * @param timeoutMillis how long all of it may take
   */
  public IncomingHandshake(LocalNode local, HandshakeResult result, long timeoutMillis) {
    super(local, result, timeoutMillis);
  }

  @Override
  void begin(ChannelHandlerContext context) {
    // The caller speaks first.
  }

  @Override
  void message(ChannelHandlerContext context, int type, ByteBuf body) throws HandshakeException {
    if (caller == null && type == HELLO) {
      ofCaller = bytes(body);
      caller = Hello.read(body);
      version(caller);
      ofListener = sendHello(context, Purpose.CALLS);
    } else if (caller != null && type == PROOF) {
      if (!isEqual(proof(context, BY_CALLER, ofCaller, ofListener), body)) {
        throw new HandshakeException(WRONG_SECRET);
      }
      Optional<String> refusal = local().admission().refusal(caller.node());
      if (refusal.isPresent()) {
        throw new HandshakeException(refusal.get());
      }
      byte[] proof = proof(context, BY_LISTENER, ofCaller, ofListener);
      send(context, PROOF, Unpooled.wrappedBuffer(proof));
      complete(context, caller.node(), version(caller), caller.purpose());
    } else {
      throw new HandshakeException("unexpected message " + type + " in the handshake");
    }
  }

  /** Returns who calls, by its own words; empty if it has said nothing yet. */
  public Optional<NodeIdentity> claimed() {
    return Optional.ofNullable(caller).map(Hello::node);
  }

  @Override
  byte[] certificates(ChannelHandlerContext context) {
    return Certificates.both(context, true);
  }
}
