package io.mayflymq.core.store.segment;

/**
 * The location of a record in its log: the segment's number in the upper half, the offset in bytes
 * in the lower one. Locations ascend in the order of appending, and are never reused.
 */
public final class Location {
  /** No location: segments are numbered from 1. */
  public static final long NONE = 0;

  private Location() {}

  /** The location of this offset in a segment. */
  public static long of(int segment, int offset) {
    return ((long) segment << 32) | offset;
  }

  /** The number of the segment, 1 or more. */
  public static int segment(long location) {
    return (int) (location >>> 32);
  }

  /** The offset in the segment, in bytes. */
  public static int offset(long location) {
    return (int) location;
  }
}
