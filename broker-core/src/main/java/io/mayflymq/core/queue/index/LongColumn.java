package io.mayflymq.core.queue.index;

import java.util.Arrays;

/**
 * One column of a page that holds times in milliseconds or locations in a log, in as little memory
 * as the values allow. If all values are equal (no deadline at all, or a burst within a
 * millisecond) there is no array. Otherwise each is an int, the distance to the page's first value,
 * which covers 24 days in either direction, or a whole segment. Only a page with values further
 * apart has an array of longs. At rest the column is a {@link PackedColumn}, if that is smaller,
 * until a value changes.
 */
final class LongColumn {
  /** The value of an entry that has none. */
  static final long NONE = Long.MAX_VALUE;

  private static final int NO_OFFSET = Integer.MIN_VALUE;

  private boolean empty = true;

  /** The value of every entry if there is no array, else the one that offsets are relative to. */
  private long base;

  private int[] offsets;
  private long[] values;
  private PackedColumn packed;

  long get(int slot) {
    if (offsets != null) {
      int offset = offsets[slot];
      return offset == NO_OFFSET ? NONE : base + offset;
    }
    if (packed != null) {
      return packed.get(slot);
    }
    return values == null ? base : values[slot];
  }

  /**
   * Packs the column of a page at rest.
   *
   * @param scratch a temporary array of the column's length
   */
  void pack(long[] scratch) {
    if (offsets != null) {
      for (int i = 0; i < scratch.length; i++) {
        scratch[i] = get(i);
      }
      packed = PackedColumn.of(scratch);
      if (packed != null) {
        offsets = null;
      }
    }
  }

  private void unpack(int capacity) {
    PackedColumn from = packed;
    packed = null;
    offsets = new int[capacity];
    for (int i = 0; i < capacity; i++) {
      // The values come from such offsets: the base is still the same.
      offsets[i] = (int) (from.get(i) - base);
    }
  }

  /**
   * Sets one entry.
   *
   * @param capacity the number of entries to make room for if this needs an array
   */
  void set(int slot, long value, int capacity) {
    if (packed != null) {
      unpack(capacity);
    }
    if (offsets != null) {
      setOffset(slot, value, capacity);
    } else if (values != null) {
      values[slot] = value;
    } else if (empty) {
      empty = false;
      base = value;
    } else if (value != base) {
      offsets = new int[capacity];
      if (base == NONE) {
        Arrays.fill(offsets, NO_OFFSET);
        base = value;
      }
      setOffset(slot, value, capacity);
    }
  }

  private void setOffset(int slot, long value, int capacity) {
    if (value == NONE) {
      offsets[slot] = NO_OFFSET;
      return;
    }
    long distance = value - base;
    int offset = (int) distance;
    if (offset == distance && offset != NO_OFFSET) {
      offsets[slot] = offset;
      return;
    }
    long[] wide = new long[capacity];
    for (int i = 0; i < offsets.length; i++) {
      wide[i] = get(i);
    }
    offsets = null;
    values = wide;
    values[slot] = value;
  }

  void grow(int capacity) {
    if (offsets != null) {
      offsets = Arrays.copyOf(offsets, capacity);
    } else if (values != null) {
      values = Arrays.copyOf(values, capacity);
    }
  }

  /** Moves all entries up by so many slots. */
  void shift(int slots, int capacity) {
    if (offsets != null) {
      offsets = shifted(offsets, new int[capacity], offsets.length, slots, capacity);
    } else if (values != null) {
      values = shifted(values, new long[capacity], values.length, slots, capacity);
    }
  }

  /** Copies an array into a larger one, so many slots further up. */
  static <A> A shifted(A from, A to, int length, int slots, int capacity) {
    System.arraycopy(from, 0, to, slots, Math.min(length, capacity - slots));
    return to;
  }

  /** Clears all entries and drops the array, since the next user of the page may not need one. */
  void clear() {
    empty = true;
    base = 0;
    offsets = null;
    values = null;
    packed = null;
  }
}
