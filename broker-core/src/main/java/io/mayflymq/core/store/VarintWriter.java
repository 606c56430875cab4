package io.mayflymq.core.store;

import java.util.Arrays;

/**
 * Writes numbers one after the other, in 7 bits a byte: small ones in one byte, any in ten at most.
 * The caller reserves room first. Belongs to one thread.
 */
public final class VarintWriter {
  /** The largest size of a number, in bytes. */
  public static final int MOST = 10;

  private static final int LEAST_CAPACITY = 64;
  private static final int MOST_CAPACITY = 1 << 30;

  private byte[] bytes;
  private int size;

  /**
   * Makes an empty one.
   *
   * @param capacity an estimate of the size in bytes
   */
  public VarintWriter(int capacity) {
    bytes = new byte[Math.max(capacity, LEAST_CAPACITY)];
  }

  /** Makes room for this many further bytes. */
  public void reserve(int room) {
    if (bytes.length - size < room) {
      bytes = Arrays.copyOf(bytes, Math.max(size + room, (int) Math.min(size * 2L, MOST_CAPACITY)));
    }
  }

  /** Adds a byte. */
  public void octet(int value) {
    bytes[size++] = (byte) value;
  }

  /** Adds bytes. */
  public void octets(byte[] values) {
    System.arraycopy(values, 0, bytes, size, values.length);
    size += values.length;
  }

  /** Adds a number that is mostly small, of either sign. */
  public void signed(long value) {
    unsigned((value << 1) ^ (value >> 63));
  }

  /** Adds a number that is mostly small and not negative. */
  public void unsigned(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** How many bytes there are. */
  public int size() {
    return size;
  }

  /** Returns the bytes, of which {@link #size} are in use: not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Removes everything; the memory is reused. */
  public void clear() {
    size = 0;
  }
}
