package io.mayflymq.core.queue.index;

/**
 * The values of a column at rest: as distances from a straight line, in as few bits as the largest
 * of them needs. Values that are all equal, or grow evenly, as sizes and locations of equal
 * messages do, take no bits at all. Each value is found in constant time. Immutable.
 */
final class PackedColumn {
  /** With more bits than this an array is not much larger, and faster. */
  private static final int WIDEST = 24;

  private static final long[] NO_WORDS = {};

  private final long base;
  private final int step;
  private final int width;
  private final long[] words;

  private PackedColumn(long base, int step, int width, long[] words) {
    this.base = base;
    this.step = step;
    this.width = width;
    this.words = words;
  }

  /**
   * Packs values.
   *
   * @param values two or more of them; kept by the caller
   * @return null if they are too far apart to make packing worthwhile
   */
  static PackedColumn of(long[] values) {
    int size = values.length;
    long first = values[0];
    long slope = (values[size - 1] - first) / (size - 1);
    int step = (int) slope == slope ? (int) slope : 0;
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = 0; i < size; i++) {
      long distance = values[i] - (long) step * i;
      least = Math.min(least, distance);
      most = Math.max(most, distance);
    }
    long range = most - least;
    if (range < 0 || range >>> WIDEST != 0) {
      return null;
    }
    int width = Long.SIZE - Long.numberOfLeadingZeros(range);
    long[] words = NO_WORDS;
    if (width > 0) {
      words = new long[(size * width + Long.SIZE - 1) / Long.SIZE];
      for (int i = 0; i < size; i++) {
        put(words, i * width, width, values[i] - (long) step * i - least);
      }
    }
    return new PackedColumn(least, step, width, words);
  }

  private static void put(long[] words, int bit, int width, long value) {
    int word = bit / Long.SIZE;
    int shift = bit % Long.SIZE;
    words[word] |= value << shift;
    if (shift + width > Long.SIZE) {
      words[word + 1] |= value >>> (Long.SIZE - shift);
    }
  }

  long get(int index) {
    long value = base + (long) step * index;
    if (width == 0) {
      return value;
    }
    int bit = index * width;
    int word = bit / Long.SIZE;
    int shift = bit % Long.SIZE;
    long bits = words[word] >>> shift;
    if (shift + width > Long.SIZE) {
      bits |= words[word + 1] << (Long.SIZE - shift);
    }
    return value + (bits & ((1L << width) - 1));
  }
}
