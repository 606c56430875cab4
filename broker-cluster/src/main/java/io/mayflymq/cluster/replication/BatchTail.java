package io.mayflymq.cluster.replication;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The last batches of a log, in memory: those that some replica may still need. They have no gaps,
 * and the last one is the last one of the log.
 */
final class BatchTail {
  private static final int SMALLEST = 16;

  /** A batch is at the index of its number modulo the length, which is a power of two. */
  private Batch[] ring = new Batch[SMALLEST];

  /** How many bytes had been added with each. */
  private long[] added = new long[SMALLEST];

  private long first = 1;
  private long end = 1;
  private long addedBytes;
  private long bytes;

  void add(Batch batch) {
    if (first == end) {
      first = batch.id().number();
      end = first;
    }
    if (end - first == ring.length) {
      grow();
    }
    ring[index(end)] = batch;
    addedBytes += batch.bytes();
    added[index(end)] = addedBytes;
    end++;
    bytes += batch.bytes();
  }

  private void grow() {
    Batch[] larger = new Batch[ring.length * 2];
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

  /** Returns how many bytes there are behind one batch up to another, as far as they are there. */
  long bytesBetween(long after, long upTo) {
    long from = Math.max(after + 1, first);
    long to = Math.min(upTo, end - 1);
    return to < from ? 0 : added[index(to)] - added[index(from)] + ring[index(from)].bytes();
  }

  /**
   * Returns whether all batches behind one are there.
   *
   * @param last the last batch of the log
   */
  boolean reachesBackTo(long number, long last) {
    return number >= last || (first < end && first <= number + 1);
  }

  /**
   * Returns batches behind one, which must be there.
   *
   * @param mostBytes after how many bytes no more are added
   */
  List<Batch> after(long number, long mostBytes) {
    List<Batch> found = new ArrayList<>();
    long taken = 0;
    for (long next = number + 1; next < end && taken < mostBytes; next++) {
      Batch batch = ring[index(next)];
      taken += batch.bytes();
      found.add(batch);
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

  private Batch take(long number) {
    Batch taken = ring[index(number)];
    ring[index(number)] = null;
    return taken;
  }

  void clear() {
    Arrays.fill(ring, null);
    first = end;
    bytes = 0;
  }
}
