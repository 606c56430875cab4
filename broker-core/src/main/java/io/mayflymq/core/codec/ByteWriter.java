package io.mayflymq.core.codec;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes numbers in 7 bits a byte, so that small ones take one byte; texts and bytes behind their
 * length. It is what frames to other nodes, copies of queues, indexes of segments and notes about
 * returned messages consist of. It can be cleared and used again. Belongs to one thread.
 */
public final class ByteWriter {
  private static final int INITIAL = 256;
  private static final int MOST_KEPT = 1 << 20;
  private static final int MOST_PER_NUMBER = 10;

  private byte[] bytes;
  private int size;

  /** Makes an empty one. */
  public ByteWriter() {
    this(INITIAL);
  }

  /**
   * Makes an empty one with room for some bytes; it grows when there are more.
   *
   * @param capacity the number of bytes
   */
  public ByteWriter(int capacity) {
    bytes = new byte[capacity];
  }

  /** Returns the bytes, of which {@link #size} are in use: not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns how many bytes there are. */
  public int size() {
    return size;
  }

  /** Removes everything; the memory is used again unless it is very large. */
  public ByteWriter clear() {
    size = 0;
    if (bytes.length > MOST_KEPT) {
      bytes = new byte[INITIAL];
    }
    return this;
  }

  /** Removes what was written after there were so many bytes. */
  public ByteWriter truncate(int toSize) {
    size = toSize;
    return this;
  }

  /** Makes room for bytes that will be written, so that they are not copied when it grows. */
  public ByteWriter room(int more) {
    reserve(more);
    return this;
  }

  private void reserve(int room) {
    if (bytes.length - size < room) {
      long wanted = Math.max((long) size + room, size * 2L);
      bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 16));
    }
  }

  /** Writes a byte. */
  public ByteWriter octet(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
    return this;
  }

  /** Writes a truth value. */
  public ByteWriter bit(boolean value) {
    return octet(value ? 1 : 0);
  }

  /** Writes a number of 0 or more. */
  public ByteWriter number(long value) {
    reserve(MOST_PER_NUMBER);
    // Local variables, as it is faster than to update fields with each byte.
    byte[] to = bytes;
    int at = size;
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      to[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    to[at++] = (byte) rest;
    size = at;
    return this;
  }

  /** Writes a number of either sign. */
  public ByteWriter signed(long value) {
    return number((value << 1) ^ (value >> 63));
  }

  /** Writes a number with a fraction. */
  public ByteWriter decimal(double value) {
    return number(Double.doubleToRawLongBits(value));
  }

  /** Writes bytes. */
  public ByteWriter bytes(byte[] value) {
    number(value.length);
    reserve(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
    return this;
  }

  /** Writes the bytes from the position to the limit of a buffer, which stays as it is. */
  public ByteWriter bytes(ByteBuffer value) {
    int length = value.remaining();
    number(length);
    reserve(length);
    value.get(value.position(), bytes, size, length);
    size += length;
    return this;
  }

  /** Writes a text. */
  public ByteWriter text(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes a text, or that there is none. */
  public ByteWriter optionalText(String value) {
    bit(value != null);
    return value == null ? this : text(value);
  }

  /** Writes a short string as it is encoded, with its length. */
  public ByteWriter shortString(ShortString value) {
    byte[] encoded = value.encoded();
    reserve(encoded.length);
    System.arraycopy(encoded, 0, bytes, size, encoded.length);
    size += encoded.length;
    return this;
  }

  /** Writes a table. */
  public ByteWriter table(FieldTable value) {
    return bytes(value.encode());
  }

  /** Adds bytes as they are, without their length. */
  public ByteWriter append(byte[] written) {
    return append(written, 0, written.length);
  }

  /** Adds the bytes of an array from one place to before another one, without their number. */
  public ByteWriter append(byte[] written, int from, int to) {
    reserve(to - from);
    System.arraycopy(written, from, bytes, size, to - from);
    size += to - from;
    return this;
  }

  /** Adds all that another one has written. */
  public ByteWriter append(ByteWriter other) {
    return append(other.bytes, 0, other.size);
  }
}
