package io.mayflymq.core.queue.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The priorities of a page's entries, one byte each; no memory as long as all are 0. The entries of
 * one priority are found without looking at each of the others: 64 of them are compared at once,
 * and a page that has none of a priority is usually passed without a look.
 */
final class PriorityColumn {
  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long LOW_BITS = 0x7f7f_7f7f_7f7f_7f7fL;

  /** Multiplied by it, the lowest bits of eight bytes come together in the highest byte. */
  private static final long GATHER = 0x0102_0408_1020_4080L;

  private byte[] values;

  /** Which priorities other than 0 were set: bit {@code priority % 64} for each of them. */
  private long seen;

  int get(int slot) {
    return values == null ? 0 : values[slot] & 0xff;
  }

  void set(int slot, int priority, int capacity) {
    if (values == null) {
      if (priority == 0) {
        return;
      }
      values = new byte[capacity];
    }
    values[slot] = (byte) priority;
    if (priority != 0) {
      seen |= 1L << priority;
    }
  }

  void clear() {
    values = null;
    seen = 0;
  }

  void grow(int capacity) {
    if (values != null) {
      values = Arrays.copyOf(values, capacity);
    }
  }

  void shift(int slots, int capacity) {
    if (values != null) {
      values = LongColumn.shifted(values, new byte[capacity], values.length, slots, capacity);
    }
  }

  /**
   * Returns the first offset of a set, not less than the given one, whose entry has this priority;
   * {@link OffsetSet#NONE} if there is none.
   *
   * @param firstOffset the offset of the entry in slot 0
   */
  int ceiling(OffsetSet set, int offset, int priority, int firstOffset) {
    if (values == null) {
      return priority == 0 ? set.ceiling(offset) : OffsetSet.NONE;
    }
    if (priority != 0 && (seen & (1L << priority)) == 0) {
      return OffsetSet.NONE;
    }
    int next = set.ceiling(offset);
    boolean aligned = firstOffset == 0 && values.length == Page.ENTRIES;
    while (next != OffsetSet.NONE && get(next - firstOffset) != priority) {
      if (aligned) {
        int word = next >>> 6;
        long found = set.word(word) & equal(word << 6, priority) & (-1L << next);
        if (found != 0) {
          return (word << 6) + Long.numberOfTrailingZeros(found);
        }
        next = word == Page.MASK >>> 6 ? OffsetSet.NONE : set.ceiling((word + 1) << 6);
      } else {
        next = next == Page.MASK ? OffsetSet.NONE : set.ceiling(next + 1);
      }
    }
    return next;
  }

  /** Returns which of 64 entries have this priority, a bit for each. */
  private long equal(int from, int priority) {
    long wanted = ONES * priority;
    long found = 0;
    for (int i = 0; i < Long.SIZE; i += Byte.SIZE) {
      long differences = (long) EIGHT.get(values, from + i) ^ wanted;
      long zeros = ~(((differences & LOW_BITS) + LOW_BITS) | differences | LOW_BITS);
      found |= (((zeros >>> 7) * GATHER) >>> 56) << i;
    }
    return found;
  }
}
