package io.mayflymq.protocol.types;

import java.util.Arrays;

/**
 * A short string (0 to 255 bytes of UTF-8; AMQP 0-9-1, section 4.2.5.3) with its encoded form, for
 * names that are read and written often: exchanges, routing keys, consumer tags. Immutable.
 */
public final class ShortString {
  /** The maximum length of a short string in bytes, without its length octet. */
  public static final int MAX_BYTES = 255;

  /** The empty string. */
  public static final ShortString EMPTY = new ShortString("", new byte[1]);

  final byte[] encoded;
  private final String value;

  private ShortString(String value, byte[] encoded) {
    this.value = value;
    this.encoded = encoded;
  }

  /**
   * Converts a text to a short string.
   *
   * @throws IllegalArgumentException if the text has more than 255 bytes of UTF-8
   */
  public static ShortString of(String value) {
    if (value.isEmpty()) {
      return EMPTY;
    }
    byte[] bytes = Utf8.encode(value);
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "short string of " + bytes.length + " bytes: at most " + MAX_BYTES + " fit");
    }
    return new ShortString(value, prefixed(bytes, 0, bytes.length));
  }

  /**
   * Returns a short string of a copy of {@code length} bytes. Bytes that are not UTF-8 are kept
   * (see {@link Utf8}).
   *
   * @throws IllegalArgumentException if the length is over 255
   */
  public static ShortString of(byte[] bytes, int offset, int length) {
    if (length == 0) {
      return EMPTY;
    }
    if (length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "short string of " + length + " bytes: at most " + MAX_BYTES + " fit");
    }
    return new ShortString(Utf8.decode(bytes, offset, length), prefixed(bytes, offset, length));
  }

  /**
   * Returns the short string with this encoded form, length octet first. The array is not copied
   * and must not be changed any more.
   *
   * @throws IllegalArgumentException if the octet is not the number of bytes after it
   */
  public static ShortString ofEncoded(byte[] encoded) {
    int length = encoded.length - 1;
    if (length < 0 || (encoded[0] & 0xFF) != length) {
      throw new IllegalArgumentException("not a short string: " + encoded.length + " bytes");
    }
    return length == 0 ? EMPTY : new ShortString(Utf8.decode(encoded, 1, length), encoded);
  }

  /** Returns whether a text fits in a short string. */
  public static boolean fits(String value) {
    return value.length() <= MAX_BYTES && Utf8.encode(value).length <= MAX_BYTES;
  }

  private static byte[] prefixed(byte[] bytes, int offset, int length) {
    byte[] encoded = new byte[1 + length];
    encoded[0] = (byte) length;
    System.arraycopy(bytes, offset, encoded, 1, length);
    return encoded;
  }

  public String value() {
    return value;
  }

  /**
   * Returns the encoded form, length octet first. The array is not a copy and must not be changed.
   */
  public byte[] encoded() {
    return encoded;
  }

  /** Returns the number of bytes, 0 to 255, without the length octet. */
  public int byteLength() {
    return encoded.length - 1;
  }

  public boolean isEmpty() {
    return encoded.length == 1;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof ShortString that && Arrays.equals(encoded, that.encoded));
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return value;
  }
}
