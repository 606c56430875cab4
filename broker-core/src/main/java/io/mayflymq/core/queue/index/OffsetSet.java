package io.mayflymq.core.queue.index;

/**
 * A set of offsets within a page, 0 to 1,023: sixteen words, and one word that marks which of them
 * are not empty, so that the first, the next and the last offset are found without a search.
 */
final class OffsetSet {
  static final int NONE = -1;

  private final long[] words = new long[Page.ENTRIES / Long.SIZE];
  private int occupiedWords;
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  boolean contains(int offset) {
    return (words[offset >>> 6] & (1L << offset)) != 0;
  }

  /** Returns the bits of 64 offsets, beginning with {@code index * 64}. */
  long word(int index) {
    return words[index];
  }

  /** Adds an offset that is not in the set. */
  void add(int offset) {
    words[offset >>> 6] |= 1L << offset;
    occupiedWords |= 1 << (offset >>> 6);
    size++;
  }

  /** Removes an offset that is in the set. */
  void remove(int offset) {
    int index = offset >>> 6;
    long word = words[index] & ~(1L << offset);
    words[index] = word;
    if (word == 0) {
      occupiedWords &= ~(1 << index);
    }
    size--;
  }

  int first() {
    return occupiedWords == 0 ? NONE : firstIn(Integer.numberOfTrailingZeros(occupiedWords));
  }

  int last() {
    if (occupiedWords == 0) {
      return NONE;
    }
    int index = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(occupiedWords);
    return (index << 6) + Long.SIZE - 1 - Long.numberOfLeadingZeros(words[index]);
  }

  /** The smallest offset in the set that is not less than the given one. */
  int ceiling(int offset) {
    int index = offset >>> 6;
    long rest = words[index] & (-1L << offset);
    if (rest != 0) {
      return (index << 6) + Long.numberOfTrailingZeros(rest);
    }
    int later = occupiedWords & (-2 << index);
    return later == 0 ? NONE : firstIn(Integer.numberOfTrailingZeros(later));
  }

  void clear() {
    for (int rest = occupiedWords; rest != 0; rest &= rest - 1) {
      words[Integer.numberOfTrailingZeros(rest)] = 0;
    }
    occupiedWords = 0;
    size = 0;
  }

  private int firstIn(int index) {
    return (index << 6) + Long.numberOfTrailingZeros(words[index]);
  }
}
