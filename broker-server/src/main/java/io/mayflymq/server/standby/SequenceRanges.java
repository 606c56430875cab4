package io.mayflymq.server.standby;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import java.util.Arrays;

/**
 * A set of message numbers, as ranges: a queue of ten million messages whose consumers take them in
 * order is one. Belongs to one thread.
 */
final class SequenceRanges {
  private static final int INITIAL = 2;

  /** From and to before which, for each range, in order; ranges do not touch. */
  private long[] bounds = new long[2 * INITIAL];

  private int ranges;
  private long count;

  /** Returns how many numbers there are. */
  long count() {
    return count;
  }

  boolean isEmpty() {
    return ranges == 0;
  }

  /** Returns the highest number; -1 if there is none. */
  long last() {
    return ranges == 0 ? -1 : bounds[2 * ranges - 1] - 1;
  }

  /**
   * Adds numbers behind all others.
   *
   * @param from the first one
   * @param end the one after the last one
   */
  void append(long from, long end) {
    if (from <= last() || end <= from) {
      throw new IllegalArgumentException("%d to %d behind %d".formatted(from, end, last()));
    }
    count += end - from;
    if (ranges > 0 && bounds[2 * ranges - 1] == from) {
      bounds[2 * ranges - 1] = end;
      return;
    }
    if (2 * ranges == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * bounds.length);
    }
    bounds[2 * ranges] = from;
    bounds[2 * ranges + 1] = end;
    ranges++;
  }

  /** Returns whether a number is in it. */
  boolean contains(long sequence) {
    int range = rangeEndingAfter(sequence);
    return range < ranges && bounds[2 * range] <= sequence;
  }

  /** Returns the first range whose end is after a number. */
  private int rangeEndingAfter(long sequence) {
    int low = 0;
    int high = ranges;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds[2 * middle + 1] <= sequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns how many numbers there are from one to another one, both included. */
  long countBetween(long first, long last) {
    long found = 0;
    for (int i = rangeEndingAfter(first); i < ranges && bounds[2 * i] <= last; i++) {
      found += Math.min(bounds[2 * i + 1], last + 1) - Math.max(bounds[2 * i], first);
    }
    return found;
  }

  /** Returns the numbers that are also in another set. */
  SequenceRanges and(SequenceRanges other) {
    SequenceRanges both = new SequenceRanges();
    int mine = 0;
    int theirs = 0;
    while (mine < ranges && theirs < other.ranges) {
      long from = Math.max(bounds[2 * mine], other.bounds[2 * theirs]);
      long end = Math.min(bounds[2 * mine + 1], other.bounds[2 * theirs + 1]);
      if (from < end) {
        both.append(from, end);
      }
      if (bounds[2 * mine + 1] < other.bounds[2 * theirs + 1]) {
        mine++;
      } else {
        theirs++;
      }
    }
    return both;
  }

  /** Returns the numbers that are less than one. */
  SequenceRanges below(long end) {
    SequenceRanges lower = new SequenceRanges();
    for (int i = 0; i < ranges && bounds[2 * i] < end; i++) {
      lower.append(bounds[2 * i], Math.min(bounds[2 * i + 1], end));
    }
    return lower;
  }

  /** Writes it. */
  void write(ByteWriter out) {
    out.number(ranges);
    long before = 0;
    for (int i = 0; i < ranges; i++) {
      out.number(bounds[2 * i] - before).number(bounds[2 * i + 1] - bounds[2 * i]);
      before = bounds[2 * i + 1];
    }
  }

  /**
   * Reads it.
   *
   * @throws ByteFormatException if it cannot be read
   */
  static SequenceRanges read(ByteReader in) {
    SequenceRanges read = new SequenceRanges();
    long before = 0;
    for (int left = in.count(2); left > 0; left--) {
      long from = before + in.number();
      long end = from + in.number();
      if (from < before || end <= from || from <= read.last()) {
        throw new ByteFormatException("ranges of messages that are not in order");
      }
      read.append(from, end);
      before = end;
    }
    return read;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SequenceRanges that
        && Arrays.equals(bounds, 0, 2 * ranges, that.bounds, 0, 2 * that.ranges);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = 0; i < 2 * ranges; i++) {
      hash = 31 * hash + Long.hashCode(bounds[i]);
    }
    return hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < ranges; i++) {
      text.append(i == 0 ? "" : ", ").append(bounds[2 * i]).append("..");
      text.append(bounds[2 * i + 1] - 1);
    }
    return text.toString();
  }
}
