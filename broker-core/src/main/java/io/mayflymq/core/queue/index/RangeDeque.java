package io.mayflymq.core.queue.index;

import java.util.Arrays;

/**
 * A double-ended queue of ascending ranges of sequence numbers, in one array of longs; an empty one
 * holds no array.
 */
final class RangeDeque {
  private static final long[] NONE = new long[0];

  private long[] ranges = NONE;
  private int head;
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  void add(long sequence) {
    if (size * 2 == ranges.length) {
      grow();
    }
    int slot = slot(size);
    ranges[slot] = sequence;
    ranges[slot + 1] = sequence;
    size++;
  }

  void extendLast(long to) {
    ranges[slot(size - 1) + 1] = to;
  }

  long lastTo() {
    return ranges[slot(size - 1) + 1];
  }

  long firstFrom() {
    return ranges[slot(0)];
  }

  long firstTo() {
    return ranges[slot(0) + 1];
  }

  void advanceFirst(long from) {
    ranges[slot(0)] = from;
  }

  void removeFirst() {
    head = (head + 1) & (ranges.length / 2 - 1);
    size--;
    if (size == 0) {
      clear();
    }
  }

  void clear() {
    size = 0;
    head = 0;
    if (ranges.length > 64) {
      ranges = NONE;
    }
  }

  boolean contains(long sequence) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int slot = slot(middle);
      if (sequence < ranges[slot]) {
        high = middle - 1;
      } else if (sequence > ranges[slot + 1]) {
        low = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  private int slot(int position) {
    return ((head + position) & (ranges.length / 2 - 1)) * 2;
  }

  private void grow() {
    int capacity = ranges.length / 2;
    long[] larger = new long[Math.max(8, ranges.length * 2)];
    int untilEnd = Math.min(size, capacity - head) * 2;
    System.arraycopy(ranges, head * 2, larger, 0, untilEnd);
    System.arraycopy(ranges, 0, larger, untilEnd, size * 2 - untilEnd);
    ranges = larger;
    head = 0;
  }

  @Override
  public String toString() {
    return Arrays.toString(ranges) + " from " + head + ", " + size;
  }
}
