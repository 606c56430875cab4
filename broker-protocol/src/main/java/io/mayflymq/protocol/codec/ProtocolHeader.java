package io.mayflymq.protocol.codec;

import io.netty.buffer.ByteBuf;

/**
 * The 8 bytes with which a client opens a connection (AMQP 0-9-1, section 4.2.2). The server sends
 * them to a client with another protocol version before it closes the socket.
 */
public final class ProtocolHeader {
  /** The length of a protocol header in bytes. */
  public static final int LENGTH = 8;

  /** "AMQP" 0 0 9 1. */
  private static final long AMQP_0_9_1 = 0x414D_5150_0000_0901L;

  /** "AMQP" 1 1 0 9: that of AMQP 0-9, which RabbitMQ takes for 0-9-1. */
  private static final long AMQP_0_9 = 0x414D_5150_0101_0009L;

  /** "AMQP": what a header of any version begins with. */
  private static final byte[] NAME = {'A', 'M', 'Q', 'P'};

  /** What came. */
  public enum Verdict {
    /** Fewer than 8 bytes so far, and no others than a header has; nothing was read. */
    INCOMPLETE,
    /** A header of a version that we speak; it was read. */
    ACCEPTED,
    /**
     * Anything else; to be answered with {@link #writeTo} and a closed socket. Nothing was read.
     */
    REFUSED
  }

  private ProtocolHeader() {}

  /** Judges the first bytes of a connection and reads them if they are a header of ours. */
  public static Verdict parse(ByteBuf in) {
    if (in.readableBytes() < LENGTH) {
      return beginsLikeAHeader(in) ? Verdict.INCOMPLETE : Verdict.REFUSED;
    }
    long header = in.getLong(in.readerIndex());
    if (header != AMQP_0_9_1 && header != AMQP_0_9) {
      return Verdict.REFUSED;
    }
    in.skipBytes(LENGTH);
    return Verdict.ACCEPTED;
  }

  private static boolean beginsLikeAHeader(ByteBuf in) {
    for (int i = 0; i < Math.min(NAME.length, in.readableBytes()); i++) {
      if (in.getByte(in.readerIndex() + i) != NAME[i]) {
        return false;
      }
    }
    return true;
  }

  /** Writes the header of AMQP 0-9-1: a client's first bytes, or a server's refusal. */
  public static void writeTo(ByteBuf out) {
    out.writeLong(AMQP_0_9_1);
  }
}
