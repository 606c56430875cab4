package io.mayflymq.core.queue.index;

import java.util.Arrays;

/**
 * The shares of a page's entries; no memory as long as all are 0, as in a queue without fair
 * shares. At rest they take as many bits as the largest of them needs.
 */
final class ShareColumn {
  private int[] values;
  private PackedColumn packed;

  int get(int slot) {
    if (values != null) {
      return values[slot];
    }
    return packed == null ? 0 : (int) packed.get(slot);
  }

  void set(int slot, int share, int capacity) {
    if (values == null) {
      if (get(slot) == share) {
        return;
      }
      values = new int[capacity];
      for (int i = 0; packed != null && i < capacity; i++) {
        values[i] = (int) packed.get(i);
      }
      packed = null;
    }
    values[slot] = share;
  }

  /**
   * Packs the column of a page at rest.
   *
   * @param scratch a temporary array of the column's length
   */
  void pack(long[] scratch) {
    if (values != null) {
      for (int i = 0; i < scratch.length; i++) {
        scratch[i] = values[i];
      }
      packed = PackedColumn.of(scratch);
      if (packed != null) {
        values = null;
      }
    }
  }

  void clear() {
    values = null;
    packed = null;
  }

  void grow(int capacity) {
    if (values != null) {
      values = Arrays.copyOf(values, capacity);
    }
  }

  void shift(int slots, int capacity) {
    if (values != null) {
      values = LongColumn.shifted(values, new int[capacity], values.length, slots, capacity);
    }
  }
}
