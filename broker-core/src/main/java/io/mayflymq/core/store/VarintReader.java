package io.mayflymq.core.store;

import java.util.Arrays;

/** Takes numbers out that a {@link VarintWriter} has put in. Belongs to one thread. */
public final class VarintReader {
  private final byte[] bytes;
  private final int size;
  private int at;

  /**
   * Begins with the first.
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

  /** A byte as it is. */
  public byte octet() {
    return bytes[at++];
  }

  /** Bytes as they are: a copy. */
  public byte[] octets(int count) {
    at += count;
    return Arrays.copyOfRange(bytes, at - count, at);
  }

  /** A number of either sign. */
  public long signed() {
    long value = unsigned();
    return (value >>> 1) ^ -(value & 1);
  }

  /** A number that is not negative. */
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
