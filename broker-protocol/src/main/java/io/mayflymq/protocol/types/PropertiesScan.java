package io.mayflymq.protocol.types;

/**
 * Finds the properties that the broker needs in the encoded properties of a message, without
 * decoding them.
 *
 * <p>The broker keeps a message in the bytes in which it was received, and needs only a few
 * properties. One pass over the flags and the list checks their structure, headers included, and
 * records the offsets of those few, with no allocation. Properties that pass this check are later
 * decoded by {@link BasicProperties#decode} without an error, so a queue that dead-letters never
 * gets a malformed message.
 *
 * <p>An instance is reused, by one thread. Offsets are indexes of the array that was scanned.
 */
public final class PropertiesScan {
  private static final int ABSENT = -1;

  private byte[] buf;
  private int at;
  private int end;

  private int deliveryMode;
  private int priority;
  private int headersOffset;
  private int headersLength;
  private int replyToOffset;
  private int replyToLength;
  private int expirationOffset;
  private int expirationLength;
  private int userIdOffset;
  private int userIdLength;
  private long timestamp;
  private boolean hasTimestamp;

  public PropertiesScan() {
    reset();
  }

  /**
   * Scans a content header from its property flags on.
   *
   * @throws ConnectionException (SYNTAX_ERROR) if the flags and the list do not agree, or the
   *     headers are not a table; what this object then holds is undefined
   */
  public void scan(byte[] buf, int off, int len) {
    reset();
    if (len < 2) {
      throw cut(2, len);
    }
    int flags = BigEndian.getUnsignedShort(buf, off);
    if (flags == PropertyFlags.DELIVERY_MODE && len == 3) {
      deliveryMode = buf[off + 2] & 0xFF;
      return;
    }
    this.buf = buf;
    at = off + 2;
    end = off + len;
    walk(flags);
    this.buf = null;
  }

  private void reset() {
    deliveryMode = 0;
    priority = ABSENT;
    headersOffset = ABSENT;
    headersLength = ABSENT;
    replyToOffset = ABSENT;
    replyToLength = ABSENT;
    expirationOffset = ABSENT;
    expirationLength = ABSENT;
    userIdOffset = ABSENT;
    userIdLength = ABSENT;
    timestamp = 0;
    hasTimestamp = false;
  }

  private void walk(int flags) {
    for (int word = flags; (word & PropertyFlags.CONTINUATION) != 0; ) {
      word = BigEndian.getUnsignedShort(buf, claim(2));
    }
    skipShortString(flags, PropertyFlags.CONTENT_TYPE);
    skipShortString(flags, PropertyFlags.CONTENT_ENCODING);
    if ((flags & PropertyFlags.HEADERS) != 0) {
      headers();
    }
    if ((flags & PropertyFlags.DELIVERY_MODE) != 0) {
      deliveryMode = buf[claim(1)] & 0xFF;
    }
    if ((flags & PropertyFlags.PRIORITY) != 0) {
      priority = buf[claim(1)] & 0xFF;
    }
    skipShortString(flags, PropertyFlags.CORRELATION_ID);
    if ((flags & PropertyFlags.REPLY_TO) != 0) {
      replyToLength = buf[claim(1)] & 0xFF;
      replyToOffset = claim(replyToLength);
    }
    if ((flags & PropertyFlags.EXPIRATION) != 0) {
      expirationLength = buf[claim(1)] & 0xFF;
      expirationOffset = claim(expirationLength);
    }
    skipShortString(flags, PropertyFlags.MESSAGE_ID);
    if ((flags & PropertyFlags.TIMESTAMP) != 0) {
      timestamp = BigEndian.getLong(buf, claim(8));
      hasTimestamp = true;
    }
    skipShortString(flags, PropertyFlags.TYPE);
    if ((flags & PropertyFlags.USER_ID) != 0) {
      userIdLength = buf[claim(1)] & 0xFF;
      userIdOffset = claim(userIdLength);
    }
    skipShortString(flags, PropertyFlags.APP_ID);
    skipShortString(flags, PropertyFlags.CLUSTER_ID);
    if (at != end && (flags & PropertyFlags.UNKNOWN) == 0) {
      throw malformed(PropertiesCodec.leftOver(end - at));
    }
  }

  private void headers() {
    int length = BigEndian.getInt(buf, claim(4));
    if (length < 0) {
      throw cut(length & 0xFFFF_FFFFL, end - at);
    }
    headersOffset = claim(length);
    headersLength = length;
    TableWalk.validate(buf, headersOffset, length);
  }

  private void skipShortString(int flags, int bit) {
    if ((flags & bit) != 0) {
      claim(buf[claim(1)] & 0xFF);
    }
  }

  private int claim(int count) {
    int from = at;
    if (count > end - from) {
      throw cut(count, end - from);
    }
    at = from + count;
    return from;
  }

  private static ConnectionException cut(long needed, int left) {
    return malformed("a value of " + needed + " bytes where " + left + " are left");
  }

  private static ConnectionException malformed(String detail) {
    return new ConnectionException(ReplyCode.SYNTAX_ERROR, PropertiesCodec.WHAT + ": " + detail);
  }

  /** Returns the delivery mode, 0 to 255; 2 is persistent. 0 if absent. */
  public int deliveryMode() {
    return deliveryMode;
  }

  /** Returns the priority, 0 to 255, or -1 if absent. */
  public int priority() {
    return priority;
  }

  /** Returns the offset of the text of the expiration, or -1 if absent. */
  public int expirationOffset() {
    return expirationOffset;
  }

  /** Returns the number of bytes of the expiration, or -1 if absent. */
  public int expirationLength() {
    return expirationLength;
  }

  /** Returns the offset of the body of the headers table, after its length, or -1 if absent. */
  public int headersOffset() {
    return headersOffset;
  }

  /** Returns the number of bytes of the body of the headers table, or -1 if absent. */
  public int headersLength() {
    return headersLength;
  }

  /** Returns the offset of the text of the user id, or -1 if absent. */
  public int userIdOffset() {
    return userIdOffset;
  }

  /** Returns the number of bytes of the user id, or -1 if absent. */
  public int userIdLength() {
    return userIdLength;
  }

  /** Returns the offset of the text of reply-to, or -1 if absent. */
  public int replyToOffset() {
    return replyToOffset;
  }

  /** Returns the number of bytes of reply-to, or -1 if absent. */
  public int replyToLength() {
    return replyToLength;
  }

  public boolean hasTimestamp() {
    return hasTimestamp;
  }

  /**
   * Returns the timestamp in seconds since 1970-01-01 UTC, as an unsigned 64-bit number; 0 if
   * absent.
   */
  public long timestamp() {
    return timestamp;
  }

  /**
   * Returns which fields the body of a table (without its length) has at its top level, without
   * decoding it.
   *
   * @param names encoded names, such as {@code CC}; at most 32
   * @return bit i if it has a field of the name i
   * @throws ConnectionException (SYNTAX_ERROR) if a field is malformed
   */
  public static int keys(byte[] buf, int off, int len, byte[][] names) {
    return TableWalk.keys(buf, off, len, names);
  }
}
