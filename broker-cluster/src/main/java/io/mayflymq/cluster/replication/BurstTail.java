package io.mayflymq.cluster.replication;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The last bursts of a log, in memory: those that some replica may still need. They have no gaps,
 * and the last one is the last one of the log.
 */
final class BurstTail {
  private static final int SMALLEST = 16;

  /** A burst is at the index of its number modulo the length, which is a power of two. */
  private Burst[] ring = new Burst[SMALLEST];

  /** How many bytes had been added with each. */
  private long[] added = new long[SMALLEST];

  private long first = 1;
  private long end = 1;
  private long addedBytes;
  private long bytes;

  void add(Burst burst) {
    if (first == end) {
      first = burst.id().number();
      end = first;
    }
    if (end - first == ring.length) {
      grow();
    }
    ring[index(end)] = burst;
    addedBytes += burst.bytes();
    added[index(end)] = addedBytes;
    end++;
    bytes += burst.bytes();
  }

  private void grow() {
    Burst[] larger = new Burst[ring.length * 2];
    long[] addedOfLarger = new long[larger.length];
    for (long number = first; number < end; number++) {
      int index = (int) (number & (larger.length - 1));
      larger[index] = ring[index(number)];
      addedOfLarger[index] = added[index(number)];
    }
    ring = larger;
    added = addedOfLarger;
  }

  private int index(long number) {
    return (int) (number & (ring.length - 1));
  }

  /** Returns how many bytes of memory they take. */
  long bytes() {
    return bytes;
  }

  /** Returns how many bytes there are behind one burst up to another, as far as they are there. */
  long bytesBetween(long after, long upTo) {
    long from = Math.max(after + 1, first);
    long to = Math.min(upTo, end - 1);
    return to < from ? 0 : added[index(to)] - added[index(from)] + ring[index(from)].bytes();
  }

  /**
   * Returns whether all bursts behind one are there.
   *
   * @param last the last burst of the log
   */
  boolean reachesBackTo(long number, long last) {
    return number >= last || (first < end && first <= number + 1);
  }

  /**
   * Returns bursts behind one, which must be there.
   *
   * @param mostBytes after how many bytes no more are added
   */
  List<Burst> after(long number, long mostBytes) {
    List<Burst> found = new ArrayList<>();
    long taken = 0;
    for (long next = number + 1; next < end && taken < mostBytes; next++) {
      Burst burst = ring[index(next)];
      taken += burst.bytes();
      found.add(burst);
    }
    return found;
  }

  void dropUpTo(long number) {
    while (first < end && first <= number) {
      bytes -= take(first).bytes();
      first++;
    }
  }

  void cutAfter(long number) {
    while (first < end && end - 1 > number) {
      end--;
      bytes -= take(end).bytes();
    }
  }

  private Burst take(long number) {
    Burst taken = ring[index(number)];
    ring[index(number)] = null;
    return taken;
  }

  void clear() {
    Arrays.fill(ring, null);
    first = end;
    bytes = 0;
  }
}
