package io.mayflymq.protocol.types;

/**
 * Reads AMQP's elementary types from a range of bytes, and never beyond it. Not thread-safe.
 *
 * <p>Every method throws {@link ConnectionException} (SYNTAX_ERROR) if the range ends too early.
 */
final class WireReader {
  private final byte[] buf;
  private final int end;
  private final String what;
  private int position;

  /**
   * @param what the name of the data for error texts
   */
  WireReader(byte[] buf, int offset, int length, String what) {
    this.buf = buf;
    this.position = offset;
    this.end = offset + length;
    this.what = what;
  }

  boolean atEnd() {
    return position == end;
  }

  int remaining() {
    return end - position;
  }

  int uint8() {
    return buf[advance(1)] & 0xFF;
  }

  int uint16() {
    return BigEndian.getUnsignedShort(buf, advance(2));
  }

  int int32() {
    return BigEndian.getInt(buf, advance(4));
  }

  long int64() {
    return BigEndian.getLong(buf, advance(8));
  }

  String shortString() {
    int length = uint8();
    return Utf8.decode(buf, advance(length), length);
  }

  /** Reads a 32-bit length and the bytes after it. */
  byte[] longBytes() {
    int length = longLength();
    return bytes(length);
  }

  byte[] bytes(int length) {
    byte[] copy = new byte[length];
    System.arraycopy(buf, advance(length), copy, 0, length);
    return copy;
  }

  /**
   * Reads a 32-bit length and returns a reader of the bytes after it; this reader continues after
   * them.
   */
  WireReader nested(String what) {
    int length = longLength();
    return new WireReader(buf, advance(length), length, what);
  }

  ConnectionException malformed(String detail) {
    return new ConnectionException(ReplyCode.SYNTAX_ERROR, what + ": " + detail);
  }

  private int longLength() {
    int length = int32();
    if (length < 0 || length > remaining()) {
      throw cut(length & 0xFFFF_FFFFL);
    }
    return length;
  }

  private int advance(int count) {
    if (count > end - position) {
      throw cut(count);
    }
    int at = position;
    position += count;
    return at;
  }

  private ConnectionException cut(long needed) {
    return malformed("a value of " + needed + " bytes where " + remaining() + " are left");
  }
}
