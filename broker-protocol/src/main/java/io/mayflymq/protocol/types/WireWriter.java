package io.mayflymq.protocol.types;

import java.util.Arrays;

/** Writes AMQP's elementary types into an array that grows. Not thread-safe. */
final class WireWriter {
  private byte[] buf;
  private int size;

  WireWriter(int capacity) {
    buf = new byte[capacity];
  }

  void uint8(int value) {
    int at = claim(1);
    buf[at] = (byte) value;
  }

  void uint16(int value) {
    int at = claim(2);
    BigEndian.putShort(buf, at, value);
  }

  void int32(int value) {
    int at = claim(4);
    BigEndian.putInt(buf, at, value);
  }

  void int64(long value) {
    int at = claim(8);
    BigEndian.putLong(buf, at, value);
  }

  void bytes(byte[] bytes) {
    int at = claim(bytes.length);
    System.arraycopy(bytes, 0, buf, at, bytes.length);
  }

  /**
   * @throws IllegalArgumentException if the text has more than 255 bytes
   */
  void shortString(String text) {
    int length = text.length();
    if (length <= ShortString.MAX_BYTES && ascii(text, length)) {
      return;
    }
    byte[] bytes = Utf8.encode(text);
    if (bytes.length > ShortString.MAX_BYTES) {
      throw new IllegalArgumentException("short string of " + bytes.length + " bytes");
    }
    uint8(bytes.length);
    bytes(bytes);
  }

  /**
   * Writes a short string that is ASCII, as nearly all are. Otherwise it writes nothing and returns
   * false.
   */
  private boolean ascii(String text, int length) {
    int start = claim(1 + length);
    buf[start] = (byte) length;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        size = start;
        return false;
      }
      buf[start + 1 + i] = (byte) c;
    }
    return true;
  }

  void longBytes(byte[] bytes) {
    int32(bytes.length);
    bytes(bytes);
  }

  /** Reserves space for a 32-bit length, which {@link #endLength} sets. */
  int beginLength() {
    return claim(4);
  }

  /**
   * Sets the length to the number of bytes written since {@link #beginLength} returned this mark.
   */
  void endLength(int mark) {
    BigEndian.putInt(buf, mark, size - mark - 4);
  }

  byte[] toByteArray() {
    return Arrays.copyOf(buf, size);
  }

  /** Returns the written bytes, followed by another array from an offset on. */
  byte[] toByteArray(byte[] rest, int offset) {
    int length = rest.length - offset;
    byte[] all = Arrays.copyOf(buf, Math.addExact(size, length));
    System.arraycopy(rest, offset, all, size, length);
    return all;
  }

  /**
   * Ensures space for more bytes. Must be called before {@code buf} is read, as it may replace the
   * array.
   */
  private int claim(int count) {
    int at = size;
    // Exact: a size above the range of int is an error instead of an overflow.
    int needed = Math.addExact(size, count);
    if (needed > buf.length) {
      buf = Arrays.copyOf(buf, Math.max(needed, (int) Math.min(2L * buf.length, 1L << 30)));
    }
    size = needed;
    return at;
  }
}
