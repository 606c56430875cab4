package io.mayflymq.core.queue.index;

import java.util.Arrays;

/**
 * A sorted set of sequence numbers in little memory: one to three bytes a number as a rule.
 *
 * <p>The numbers are in runs. A run has its first number, and the gap to each following one in
 * groups of seven bits, in at most {@link #MOST_BYTES} bytes. What a queue does nearly always, to
 * add a number behind the last one and to remove the first one, reads or writes one gap. Any other
 * change writes one run anew. A run that is found is found by binary search.
 *
 * <p>Not thread-safe: belongs to the thread that owns the queue.
 */
final class SequenceSet {
  private static final int MOST_BYTES = 128;
  private static final int FIRST_BYTES = 8;
  private static final int GROUP_BITS = 7;
  private static final int MORE = 1 << GROUP_BITS;
  private static final int LONGEST_GAP = (Long.SIZE + GROUP_BITS - 1) / GROUP_BITS;
  private static final long NONE = -1;
  private static final Run[] NO_RUNS = {};

  /** The runs, in order: {@code count} of them from {@code from} on. */
  private Run[] runs = NO_RUNS;

  private int from;
  private int count;
  private long size;

  private static final class Run {
    long first;
    long last;

    /** How many numbers. */
    int size = 1;

    byte[] gaps = NO_GAPS;
    int start;
    int end;

    private static final byte[] NO_GAPS = {};

    Run(long number) {
      first = number;
      last = number;
    }

    /** Whether there was room to add a number behind the last one. */
    boolean append(long number) {
      long gap = number - last;
      int length = length(gap);
      if (end + length > gaps.length && !makeRoom(length)) {
        return false;
      }
      write(gap);
      last = number;
      size++;
      return true;
    }

    /** Makes room at the end for so many bytes, if that can be. */
    private boolean makeRoom(int length) {
      int used = end - start;
      if (used + length > MOST_BYTES) {
        return false;
      }
      int capacity = Math.max(gaps.length, FIRST_BYTES);
      while (capacity < used + length) {
        capacity *= 2;
      }
      byte[] roomy = capacity == gaps.length ? gaps : new byte[capacity];
      System.arraycopy(gaps, start, roomy, 0, used);
      gaps = roomy;
      start = 0;
      end = used;
      return true;
    }

    private void write(long gap) {
      long rest = gap;
      while (rest >= MORE) {
        gaps[end++] = (byte) (rest | MORE);
        rest >>>= GROUP_BITS;
      }
      gaps[end++] = (byte) rest;
    }

    private static int length(long gap) {
      return Math.max(
          1, (Long.SIZE - Long.numberOfLeadingZeros(gap) + GROUP_BITS - 1) / GROUP_BITS);
    }

    /** Removes the first number; there is another one. */
    void removeFirst() {
      long gap = 0;
      int shift = 0;
      byte group;
      do {
        group = gaps[start++];
        gap |= (long) (group & (MORE - 1)) << shift;
        shift += GROUP_BITS;
      } while (group < 0);
      first += gap;
      size--;
    }

    /** Returns the first number after a given one, which is not before the first nor the last. */
    long after(long number) {
      long next = first;
      int at = start;
      while (next <= number) {
        int shift = 0;
        byte group;
        do {
          group = gaps[at++];
          next += (long) (group & (MORE - 1)) << shift;
          shift += GROUP_BITS;
        } while (group < 0);
      }
      return next;
    }

    /** Puts all numbers into an array, from an index on. */
    void read(long[] into, int at) {
      long next = first;
      int read = start;
      into[at] = next;
      for (int i = 1; i < size; i++) {
        int shift = 0;
        byte group;
        do {
          group = gaps[read++];
          next += (long) (group & (MORE - 1)) << shift;
          shift += GROUP_BITS;
        } while (group < 0);
        into[at + i] = next;
      }
    }

    /** Has some of these numbers from now on; they fit. */
    static Run of(long[] numbers, int begin, int stop) {
      Run run = new Run(numbers[begin]);
      run.gaps = new byte[FIRST_BYTES];
      for (int i = begin + 1; i < stop; i++) {
        run.append(numbers[i]);
      }
      return run;
    }

    int bytes() {
      return end - start;
    }
  }

  /** Returns how many numbers there are. */
  long size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the lowest number; -1 if there is none. */
  long first() {
    return count == 0 ? NONE : runs[from].first;
  }

  /** Returns the lowest number after a given one; -1 if there is none. */
  long next(long after) {
    int at = find(after);
    if (at < 0) {
      return first();
    }
    Run run = runs[from + at];
    if (after < run.last) {
      return run.after(after);
    }
    return at + 1 < count ? runs[from + at + 1].first : NONE;
  }

  /** Adds a number. @return false if it was there */
  boolean add(long number) {
    if (count == 0 || number > runs[from + count - 1].last) {
      append(number);
      size++;
      return true;
    }
    int at = find(number);
    if (at >= 0 && number > runs[from + at].last && runs[from + at].append(number)) {
      size++;
      return true;
    }
    boolean added = insert(Math.max(at, 0), number);
    size += added ? 1 : 0;
    return added;
  }

  private void append(long number) {
    if (count == 0 || !runs[from + count - 1].append(number)) {
      put(count, new Run(number));
    }
  }

  private boolean insert(int at, long number) {
    Run run = runs[from + at];
    long[] numbers = new long[run.size + 1];
    run.read(numbers, 0);
    int place = Arrays.binarySearch(numbers, 0, run.size, number);
    if (place >= 0) {
      return false;
    }
    place = -1 - place;
    System.arraycopy(numbers, place, numbers, place + 1, run.size - place);
    numbers[place] = number;
    if (run.bytes() + LONGEST_GAP <= MOST_BYTES) {
      runs[from + at] = Run.of(numbers, 0, numbers.length);
    } else {
      int half = numbers.length / 2;
      runs[from + at] = Run.of(numbers, 0, half);
      put(at + 1, Run.of(numbers, half, numbers.length));
    }
    return true;
  }

  /** Removes a number. @return false if it was not there */
  boolean remove(long number) {
    int at = find(number);
    if (at < 0 || number > runs[from + at].last) {
      return false;
    }
    Run run = runs[from + at];
    if (run.size == 1) {
      drop(at);
    } else if (number == run.first) {
      run.removeFirst();
    } else if (!removeWithin(at, number)) {
      return false;
    }
    size--;
    return true;
  }

  private boolean removeWithin(int at, long number) {
    Run run = runs[from + at];
    long[] numbers = new long[run.size];
    run.read(numbers, 0);
    int place = Arrays.binarySearch(numbers, number);
    if (place < 0) {
      return false;
    }
    System.arraycopy(numbers, place + 1, numbers, place, run.size - place - 1);
    runs[from + at] = Run.of(numbers, 0, run.size - 1);
    merge(at);
    return true;
  }

  /** Makes one run of two that have become short. */
  private void merge(int at) {
    if (at + 1 < count) {
      Run run = runs[from + at];
      Run next = runs[from + at + 1];
      if (run.bytes() + next.bytes() + LONGEST_GAP <= MOST_BYTES / 2) {
        long[] numbers = new long[run.size + next.size];
        run.read(numbers, 0);
        next.read(numbers, run.size);
        runs[from + at] = Run.of(numbers, 0, numbers.length);
        drop(at + 1);
      }
    }
  }

  /** Returns the last run that does not begin after a number; -1 if all do. */
  private int find(long number) {
    if (count == 0 || runs[from].first > number) {
      return -1;
    }
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (runs[from + middle].first <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private void put(int at, Run run) {
    if (from + count == runs.length) {
      // At least half of the array is free afterwards, so that this is seldom.
      Run[] roomy = from > count ? runs : new Run[Math.max(1, count * 2)];
      System.arraycopy(runs, from, roomy, 0, count);
      if (roomy == runs) {
        Arrays.fill(runs, count, from + count, null);
      }
      runs = roomy;
      from = 0;
    }
    System.arraycopy(runs, from + at, runs, from + at + 1, count - at);
    runs[from + at] = run;
    count++;
  }

  private void drop(int at) {
    if (at == 0) {
      runs[from++] = null;
    } else {
      System.arraycopy(runs, from + at + 1, runs, from + at, count - at - 1);
      runs[from + count - 1] = null;
    }
    count--;
    if (count == 0) {
      from = 0;
      runs = runs.length > FIRST_BYTES ? NO_RUNS : runs;
    }
  }
}
