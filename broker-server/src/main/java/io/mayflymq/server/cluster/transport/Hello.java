package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/**
 * The first message of each side. Its layout is the same in every version, so that nodes without a
 * common one can say so: lowest and highest version (2 bytes each), nonce (32), kind of connection
 * (1), its number (2), data directory (16), name and cluster id (1 for the length of each). What
 * follows is ignored.
 */
record Hello(VersionRange versions, Purpose purpose, NodeIdentity node) {
  static final int NONCE = 32;

  private static final int FIXED = 4 + NONCE + 3 + 16;

  /** Writes it with a nonce, which makes each one different. */
  void write(ByteBuf out, byte[] nonce) {
    out.writeShort(versions.lowest()).writeShort(versions.highest());
    out.writeBytes(nonce);
    out.writeByte(purpose.kind().code()).writeShort(purpose.number());
    out.writeLong(node.dataDirectory().getMostSignificantBits());
    out.writeLong(node.dataDirectory().getLeastSignificantBits());
    writeText(out, node.name());
    writeText(out, node.clusterId().orElse(""));
  }

  private static void writeText(ByteBuf out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeByte(bytes.length).writeBytes(bytes);
  }

  static Hello read(ByteBuf in) throws HandshakeException {
    require(in, FIXED);
    VersionRange versions = new VersionRange(in.readUnsignedShort(), in.readUnsignedShort());
    in.skipBytes(NONCE);
    Purpose purpose = purpose(in.readUnsignedByte(), in.readUnsignedShort());
    UUID data = new UUID(in.readLong(), in.readLong());
    String name = readText(in);
    if (!NodeIdentity.isName(name)) {
      throw new HandshakeException("a name of a node was expected, such as a@host");
    }
    String cluster = readText(in);
    return new Hello(
        versions,
        purpose,
        new NodeIdentity(name, data, cluster.isEmpty() ? Optional.empty() : Optional.of(cluster)));
  }

  private static Purpose purpose(int code, int number) throws HandshakeException {
    for (Purpose.Kind kind : Purpose.Kind.values()) {
      if (kind.code() == code) {
        return new Purpose(kind, number);
      }
    }
    throw new HandshakeException("unknown kind of connection: " + code);
  }

  private static String readText(ByteBuf in) throws HandshakeException {
    require(in, 1);
    int length = in.readUnsignedByte();
    require(in, length);
    return Lines.printable(in.readCharSequence(length, StandardCharsets.UTF_8).toString());
  }

  private static void require(ByteBuf in, int bytes) throws HandshakeException {
    if (in.readableBytes() < bytes) {
      throw new HandshakeException("a message of the handshake is too short");
    }
  }
}
