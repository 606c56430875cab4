package io.mayflymq.protocol.types;

import java.util.Arrays;

/** Reads and writes the property flags and the property list of a content header. */
final class PropertiesCodec {
  static final String WHAT = "content header properties";

  /**
   * The initial size, enough for the headers of a dead letter: growing would take twice as much.
   */
  private static final int WITH_HEADERS = 512;

  private PropertiesCodec() {}

  static BasicProperties read(byte[] buf, int off, int len) {
    WireReader in = new WireReader(buf, off, len, WHAT);
    int flags = in.uint16();
    byte[] moreFlags = readMoreFlags(buf, off + 2, flags, in);
    BasicProperties.Builder b = BasicProperties.builder();
    b.contentType(text(in, flags, PropertyFlags.CONTENT_TYPE));
    b.contentEncoding(text(in, flags, PropertyFlags.CONTENT_ENCODING));
    if ((flags & PropertyFlags.HEADERS) != 0) {
      b.headers(FieldTableCodec.readBody(in.nested("field table"), 1));
    }
    if ((flags & PropertyFlags.DELIVERY_MODE) != 0) {
      b.deliveryMode(in.uint8());
    }
    if ((flags & PropertyFlags.PRIORITY) != 0) {
      b.priority(in.uint8());
    }
    b.correlationId(text(in, flags, PropertyFlags.CORRELATION_ID));
    b.replyTo(text(in, flags, PropertyFlags.REPLY_TO));
    b.expiration(text(in, flags, PropertyFlags.EXPIRATION));
    b.messageId(text(in, flags, PropertyFlags.MESSAGE_ID));
    if ((flags & PropertyFlags.TIMESTAMP) != 0) {
      b.timestamp(in.int64());
    }
    b.type(text(in, flags, PropertyFlags.TYPE));
    b.userId(text(in, flags, PropertyFlags.USER_ID));
    b.appId(text(in, flags, PropertyFlags.APP_ID));
    b.clusterId(text(in, flags, PropertyFlags.CLUSTER_ID));
    int unknownBits = flags & PropertyFlags.UNKNOWN;
    if (unknownBits != 0) {
      b.unknown(new UnknownProperties(unknownBits, moreFlags, in.bytes(in.remaining())));
    } else if (!in.atEnd()) {
      throw in.malformed(leftOver(in.remaining()));
    }
    return b.build();
  }

  static String leftOver(int count) {
    return count + " bytes more than the flags announce";
  }

  private static byte[] readMoreFlags(byte[] buf, int off, int flags, WireReader in) {
    int length = 0;
    for (int word = flags; (word & PropertyFlags.CONTINUATION) != 0; length += 2) {
      word = in.uint16();
    }
    return Arrays.copyOfRange(buf, off, off + length);
  }

  private static String text(WireReader in, int flags, int bit) {
    return (flags & bit) != 0 ? in.shortString() : null;
  }

  static WireWriter write(BasicProperties p) {
    WireWriter out = new WireWriter(p.headers() == null ? 64 : WITH_HEADERS);
    out.uint16(flagsOf(p));
    out.bytes(p.unknown.moreFlags);
    writeText(out, p.contentType());
    writeText(out, p.contentEncoding());
    if (p.headers() != null) {
      int mark = out.beginLength();
      FieldTableCodec.writeBody(out, p.headers());
      out.endLength(mark);
    }
    if (p.deliveryMode() != null) {
      out.uint8(p.deliveryMode());
    }
    if (p.priority() != null) {
      out.uint8(p.priority());
    }
    writeText(out, p.correlationId());
    writeText(out, p.replyTo());
    writeText(out, p.expiration());
    writeText(out, p.messageId());
    if (p.timestamp() != null) {
      out.int64(p.timestamp());
    }
    writeText(out, p.type());
    writeText(out, p.userId());
    writeText(out, p.appId());
    writeText(out, p.clusterId());
    out.bytes(p.unknown.tail);
    return out;
  }

  private static int flagsOf(BasicProperties p) {
    return p.unknown.firstWordBits
        | flag(p.contentType(), PropertyFlags.CONTENT_TYPE)
        | flag(p.contentEncoding(), PropertyFlags.CONTENT_ENCODING)
        | flag(p.headers(), PropertyFlags.HEADERS)
        | flag(p.deliveryMode(), PropertyFlags.DELIVERY_MODE)
        | flag(p.priority(), PropertyFlags.PRIORITY)
        | flag(p.correlationId(), PropertyFlags.CORRELATION_ID)
        | flag(p.replyTo(), PropertyFlags.REPLY_TO)
        | flag(p.expiration(), PropertyFlags.EXPIRATION)
        | flag(p.messageId(), PropertyFlags.MESSAGE_ID)
        | flag(p.timestamp(), PropertyFlags.TIMESTAMP)
        | flag(p.type(), PropertyFlags.TYPE)
        | flag(p.userId(), PropertyFlags.USER_ID)
        | flag(p.appId(), PropertyFlags.APP_ID)
        | flag(p.clusterId(), PropertyFlags.CLUSTER_ID);
  }

  private static int flag(Object value, int bit) {
    return value != null ? bit : 0;
  }

  private static void writeText(WireWriter out, String text) {
    if (text != null) {
      out.shortString(text);
    }
  }
}
