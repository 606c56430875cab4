package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.Arrays;
import java.util.Optional;

/** The side of the handshake that listens. */
final class IncomingHandshake extends NodeHandshake {
  private volatile ChannelHandlerContext context;
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
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    super.handlerAdded(added);
  }

  @Override
  void begin(ChannelHandlerContext context) {
    // The caller speaks first.
  }

  @Override
  void message(ChannelHandlerContext context, int type, ByteBuf body) throws HandshakeException {
    if (caller == null && type == HELLO) {
      ofCaller = bytes(body);
      Hello hello = Hello.read(body);
      // It is told nothing but the versions of this node before it is known to be no stranger.
      version(hello);
      if (!isSigned(context, body)) {
        throw new HandshakeException(WRONG_SECRET);
      }
      caller = hello;
      ofListener = sendHello(context, Purpose.CALLS, false);
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

  /** Whether what follows the HELLO that was read is its signature. */
  private boolean isSigned(ChannelHandlerContext context, ByteBuf rest) {
    byte[] hello = Arrays.copyOf(ofCaller, ofCaller.length - rest.readableBytes());
    byte[] expected = signature(context, hello);
    return rest.readableBytes() >= expected.length
        && isEqual(expected, rest.readSlice(expected.length));
  }

  /** Ends it, as others take its place. Any thread may call. */
  void displace(String reason) {
    context.executor().execute(() -> end(context, reason, false));
  }

  /** Returns who calls, if what it has said was signed; empty otherwise. */
  public Optional<NodeIdentity> claimed() {
    return Optional.ofNullable(caller).map(Hello::node);
  }

  @Override
  byte[] certificates(ChannelHandlerContext context) {
    return Certificates.both(context, true);
  }
}
