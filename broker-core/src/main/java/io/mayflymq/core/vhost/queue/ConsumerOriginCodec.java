package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.queue.ConsumerOrigin;

/** Writes and reads for other nodes which channel a consumer belongs to. */
public final class ConsumerOriginCodec {
  private ConsumerOriginCodec() {}

  /**
   * Writes an origin.
   *
   * @param origin null for none
   */
  public static void write(ByteWriter out, ConsumerOrigin origin) {
    out.bit(origin != null);
    if (origin != null) {
      out.text(origin.node())
          .text(origin.connection())
          .number(origin.channel())
          .text(origin.pid())
          .text(origin.user())
          .text(origin.peerHost())
          .number(origin.peerPort());
    }
  }

  /** Reads an origin; null if there is none. */
  public static ConsumerOrigin read(ByteReader in) {
    if (!in.bit()) {
      return null;
    }
    return new ConsumerOrigin(
        in.text(), in.text(), in.integer(), in.text(), in.text(), in.text(), in.integer());
  }
}
