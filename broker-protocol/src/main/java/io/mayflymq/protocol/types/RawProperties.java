package io.mayflymq.protocol.types;

import java.util.Arrays;

/**
 * Reads and changes encoded properties without decoding them. They must have been accepted by
 * {@link PropertiesScan#scan}, and start the content of a message: flags and list, then the body.
 */
public final class RawProperties {
  private RawProperties() {}

  static int flags(byte[] content) {
    return BigEndian.getUnsignedShort(content, 0);
  }

  /**
   * Returns the offset of the table of headers with its length, or of its place if it is absent.
   */
  static int headersAt(byte[] content) {
    int flags = flags(content);
    int at = 2;
    for (int word = flags; (word & PropertyFlags.CONTINUATION) != 0; at += 2) {
      word = BigEndian.getUnsignedShort(content, at);
    }
    at = behindText(content, at, flags & PropertyFlags.CONTENT_TYPE);
    return behindText(content, at, flags & PropertyFlags.CONTENT_ENCODING);
  }

  /**
   * Returns the offset of the expiration with its length octet, or of its place if it is absent.
   */
  static int expirationAt(byte[] content) {
    int flags = flags(content);
    int at = headersAt(content);
    if ((flags & PropertyFlags.HEADERS) != 0) {
      at += Integer.BYTES + BigEndian.getInt(content, at);
    }
    at += Integer.bitCount(flags & (PropertyFlags.DELIVERY_MODE | PropertyFlags.PRIORITY));
    at = behindText(content, at, flags & PropertyFlags.CORRELATION_ID);
    return behindText(content, at, flags & PropertyFlags.REPLY_TO);
  }

  private static int behindText(byte[] content, int at, int flag) {
    return flag == 0 ? at : at + 1 + (content[at] & 0xFF);
  }

  /** Returns whether the content has a table of headers, which may be empty. */
  public static boolean hasHeaders(byte[] content) {
    return (flags(content) & PropertyFlags.HEADERS) != 0;
  }

  /**
   * Returns whether the content has a header of this name.
   *
   * @param name encoded
   */
  public static boolean hasHeader(byte[] content, byte[] name) {
    if (!hasHeaders(content)) {
      return false;
    }
    int at = headersAt(content);
    return TableWalk.containsKey(content, at + Integer.BYTES, BigEndian.getInt(content, at), name);
  }

  /**
   * Returns the header of this name, decoded; null if the content has none. No other one is
   * decoded.
   *
   * @param name encoded
   */
  public static FieldValue header(byte[] content, byte[] name) {
    if (!hasHeaders(content)) {
      return null;
    }
    int at = headersAt(content);
    return TableWalk.value(content, at + Integer.BYTES, BigEndian.getInt(content, at), name);
  }

  /** Returns a copy of the table of headers with its length. The table must exist. */
  public static byte[] headers(byte[] content) {
    int at = headersAt(content);
    return Arrays.copyOfRange(content, at, at + Integer.BYTES + BigEndian.getInt(content, at));
  }

  /** Returns the expiration; empty if it is absent. */
  public static ShortString expiration(byte[] content) {
    int at = expirationAt(content);
    return ShortString.of(content, at + 1, Math.max(0, expirationLength(content, at) - 1));
  }

  /** Returns whether {@link #expiration} equals this one, without copying it. */
  public static boolean hasExpiration(byte[] content, ShortString expiration) {
    int at = expirationAt(content);
    int length = expirationLength(content, at);
    return length == 0
        ? expiration.isEmpty()
        : Arrays.equals(content, at, at + length, expiration.encoded, 0, expiration.encoded.length);
  }

  /** Returns a hash of {@link #expiration}, without copying it. */
  public static int hashOfExpiration(byte[] content) {
    int at = expirationAt(content);
    int hash = 0;
    for (int i = at + expirationLength(content, at) - 1; i >= at; i--) {
      hash = 31 * hash + content[i];
    }
    return hash;
  }

  private static int expirationLength(byte[] content, int at) {
    return (flags(content) & PropertyFlags.EXPIRATION) == 0 ? 0 : 1 + (content[at] & 0xFF);
  }

  /** Returns the message id; null if it is absent. */
  public static String messageId(byte[] content) {
    if ((flags(content) & PropertyFlags.MESSAGE_ID) == 0) {
      return null;
    }
    int at = expirationAt(content);
    at += expirationLength(content, at);
    return Utf8.decode(content, at + 1, content[at] & 0xFF);
  }

  /**
   * Replaces the headers and removes the expiration.
   *
   * @param content not changed
   * @param headers the table with its length first
   * @return the new content; its properties change by as many bytes as the content
   */
  public static byte[] withHeadersForExpiration(byte[] content, byte[] headers) {
    int gap = headersAt(content);
    int behind = hasHeaders(content) ? gap + Integer.BYTES + BigEndian.getInt(content, gap) : gap;
    int expiration = expirationAt(content);
    int rest = expiration + expirationLength(content, expiration);
    int kept = expiration - behind;
    byte[] result = new byte[gap + headers.length + kept + content.length - rest];
    System.arraycopy(content, 0, result, 0, gap);
    BigEndian.putShort(
        result, 0, (flags(content) | PropertyFlags.HEADERS) & ~PropertyFlags.EXPIRATION);
    int at = gap;
    System.arraycopy(headers, 0, result, at, headers.length);
    at += headers.length;
    System.arraycopy(content, behind, result, at, kept);
    at += kept;
    System.arraycopy(content, rest, result, at, content.length - rest);
    return result;
  }
}
