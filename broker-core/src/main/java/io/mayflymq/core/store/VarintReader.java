package io.mayflymq.core.store;

import java.util.Arrays;

/** Reads the numbers that a {@link VarintWriter} has written. Belongs to one thread. */
public final class VarintReader {
  private final byte[] bytes;
  private final int size;
  private int at;

  /**
   * Begins with the first number.
   *
   * @param size how many of the bytes are in use
   */
  public VarintReader(byte[] bytes, int size) {
    this.bytes = bytes;
    this.size = size;
  }

  /** Whether there is more. */
  public boolean hasNext() {
    return at < size;
  }

  /** Reads a byte. */
  public byte octet() {
    return bytes[at++];
  }

  /** Reads bytes into a new array. */
  public byte[] octets(int count) {
    at += count;
    return Arrays.copyOfRange(bytes, at - count, at);
  }

  /** Reads a number of either sign. */
  public long signed() {
    long value = unsigned();
    return (value >>> 1) ^ -(value & 1);
  }

  /** Reads a number that is not negative. */
  public long unsigned() {
    long value = 0;
    int shift = 0;
    byte next = bytes[at++];
    while (next < 0) {
      value |= (next & 0x7fL) << shift;
      shift += 7;
      next = bytes[at++];
    }
    return value | ((long) next << shift);
  }
}
