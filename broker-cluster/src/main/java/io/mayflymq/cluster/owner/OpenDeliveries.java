package io.mayflymq.cluster.owner;

import java.util.Arrays;

/** A set of sequence numbers, without an object for each. Belongs to one thread. */
final class OpenDeliveries {
  private static final int INITIAL = 16;
  private static final long EMPTY = -1;

  private long[] table = empty(INITIAL);
  private int size;

  private static long[] empty(int capacity) {
    long[] table = new long[capacity];
    Arrays.fill(table, EMPTY);
    return table;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds a number of 0 or more that is not in the set. */
  void add(long sequence) {
    if (size * 2 >= table.length) {
      long[] before = table;
      table = empty(before.length * 2);
      for (long each : before) {
        if (each != EMPTY) {
          table[free(each)] = each;
        }
      }
    }
    table[free(sequence)] = sequence;
    size++;
  }

  private int slot(long sequence) {
    long mixed = sequence * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32) & (table.length - 1);
  }

  private int free(long sequence) {
    int at = slot(sequence);
    while (table[at] != EMPTY) {
      at = (at + 1) & (table.length - 1);
    }
    return at;
  }

  /** Removes a number; returns whether it was there. */
  boolean remove(long sequence) {
    int at = slot(sequence);
    while (table[at] != sequence) {
      if (table[at] == EMPTY) {
        return false;
      }
      at = (at + 1) & (table.length - 1);
    }
    size--;
    close(at);
    return true;
  }

  /**
   * Moves what follows back, so that no number is behind an empty slot that it would be found by.
   */
  private void close(int removed) {
    int mask = table.length - 1;
    int gap = removed;
    int at = (gap + 1) & mask;
    while (table[at] != EMPTY) {
      int wanted = slot(table[at]);
      if (((at - wanted) & mask) >= ((at - gap) & mask)) {
        table[gap] = table[at];
        gap = at;
      }
      at = (at + 1) & mask;
    }
    table[gap] = EMPTY;
  }

  /** Removes all numbers and returns them in order. */
  long[] takeAll() {
    long[] all = Arrays.stream(table).filter(each -> each != EMPTY).sorted().toArray();
    table = empty(INITIAL);
    size = 0;
    return all;
  }
}
