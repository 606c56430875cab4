package io.mayflymq.core.codec;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads what a {@link ByteWriter} has written. Whatever the bytes are, nothing is read or allocated
 * beyond their end. Belongs to one thread.
 *
 * <p>All methods throw {@link ByteFormatException} if the bytes cannot be read so.
 */
public final class ByteReader {
  private final ByteBuffer in;

  /** Reads from position to limit of a buffer. */
  public ByteReader(ByteBuffer in) {
    this.in = in;
  }

  /** Reads the first bytes of an array. */
  public ByteReader(byte[] bytes, int size) {
    this(ByteBuffer.wrap(bytes, 0, size));
  }

  /** Returns how many bytes are left. */
  public int remaining() {
    return in.remaining();
  }

  /** Returns where the next byte is, counted from the beginning. */
  public int position() {
    return in.position();
  }

  /** Goes to a place that the position was before. */
  public void seek(int position) {
    in.position(position);
  }

  private void require(int count) {
    if (in.remaining() < count) {
      throw new ByteFormatException("a frame is too short");
    }
  }

  /** Reads a byte, 0 to 255. */
  public int octet() {
    require(1);
    return in.get() & 0xff;
  }

  /** Reads a truth value. */
  public boolean bit() {
    return octet() != 0;
  }

  /** Reads a number of 0 or more, or the bits of any. */
  public long number() {
    int next = octet();
    if (next < 0x80) {
      return next;
    }
    // The position is set once, which is faster than with each byte.
    int at = in.position();
    int end = in.limit();
    long value = next & 0x7f;
    for (int shift = 7; shift < 64 && at < end; shift += 7) {
      next = in.get(at++);
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        in.position(at);
        return value;
      }
    }
    throw new ByteFormatException(
        at == end ? "a frame is too short" : "a number of more than 10 bytes");
  }

  /** Reads a number of 0 or more that is an int. */
  public int integer() {
    long value = number();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new ByteFormatException("the number %d is out of range".formatted(value));
    }
    return (int) value;
  }

  /**
   * Reads how many elements follow.
   *
   * @param bytesOfEach what each has at least: more than could follow are refused
   */
  public int count(int bytesOfEach) {
    int count = integer();
    if ((long) count * bytesOfEach > in.remaining()) {
      throw new ByteFormatException("%d elements do not fit into a frame".formatted(count));
    }
    return count;
  }

  /** Reads a number of either sign. */
  public long signed() {
    long value = number();
    return (value >>> 1) ^ -(value & 1);
  }

  /** Reads a number with a fraction. */
  public double decimal() {
    return Double.longBitsToDouble(number());
  }

  /** Reads bytes behind their length into a new array. */
  public byte[] bytes() {
    return octets(integer());
  }

  /**
   * Reads as many bytes, whose number is known, into a new array.
   *
   * @param count 0 or more
   */
  public byte[] octets(int count) {
    require(count);
    byte[] bytes = new byte[count];
    in.get(bytes);
    return bytes;
  }

  /** Reads a text. */
  public String text() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  /** Reads a text, or null. */
  public String optionalText() {
    return bit() ? text() : null;
  }

  /** Reads a short string. */
  public ShortString shortString() {
    require(1);
    byte[] encoded = new byte[1 + (in.get(in.position()) & 0xff)];
    require(encoded.length);
    in.get(encoded);
    try {
      return ShortString.ofEncoded(encoded);
    } catch (RuntimeException e) {
      throw new ByteFormatException("a name cannot be read: " + e.getMessage());
    }
  }

  /** Reads a table. */
  public FieldTable table() {
    byte[] bytes = bytes();
    try {
      return FieldTable.decode(bytes, 0, bytes.length);
    } catch (RuntimeException e) {
      throw new ByteFormatException("a table cannot be read: " + e.getMessage());
    }
  }

  /** Reads all that is left into a new array. */
  public byte[] rest() {
    return octets(in.remaining());
  }
}
