package io.mayflymq.core.metrics;

import java.util.Arrays;

/**
 * The samples of a day, in a few hundred bytes.
 *
 * <p>One array of bytes holds records, the oldest first. A record says when a sample was taken and
 * by how much each number had grown since the record before, all of variable length:
 *
 * <pre>{@code
 * seconds since the record before | which numbers changed, one bit each | their changes
 * }</pre>
 *
 * <p>A sample without a change writes nothing, so what is unused costs nothing. The numbers of the
 * last sample are known; those of an earlier moment follow by subtracting what came later. Both are
 * read and written together: a record that does not belong to the last numbers would make all
 * earlier ones wrong. When the array is full, old records are joined, so that the past is kept in
 * larger steps the older it is:
 *
 * <pre>{@code
 * up to 10 minutes   each sample
 * up to 1 hour       a minute
 * up to 8 hours      10 minutes
 * up to a day        half an hour
 * }</pre>
 *
 * <p>An object that changes with every sample has about 240 records, of 10 to 15 bytes each. If
 * that is more than it may take, all these ages are halved, until it fits: the limit holds, and the
 * oldest samples become coarser first.
 */
final class SampleHistory {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final int[] AGE_SECONDS = {605, 3_660, 29_400, 87_000};
  private static final int[] STEP_SECONDS = {1, 60, 600, 1_800};
  private static final int FIRST_BYTES = 64;

  /** How many bytes the history of an object takes if there are not very many of its kind. */
  static final int USUAL_BYTES = 8 * 1024;

  private static final byte[] NOTHING = {};

  private final long startNanos;
  private byte[] bytes = NOTHING;
  private int length;

  /** Of the last record, and of the one before the first: seconds since the start. */
  private long lastSecond;

  private long beforeFirstSecond;

  /** The numbers of the last sample. */
  private long[] latest;

  /**
   * Starts a history of numbers that were 0 so far.
   *
   * @param startNanos before the first sample, as {@link System#nanoTime} had it
   * @param numbers how many numbers there are, 64 at most
   */
  SampleHistory(long startNanos, int numbers) {
    this.startNanos = startNanos;
    this.latest = new long[numbers];
  }

  /**
   * Adds a sample.
   *
   * @param nanos when it was taken, not before the previous one
   * @param now its numbers; kept
   * @param mostBytes how many bytes the history may take, some hundred at least
   */
  synchronized void add(long nanos, long[] now, int mostBytes) {
    long second = Math.max(lastSecond, (nanos - startNanos) / NANOS_PER_SECOND);
    Change record = new Change(now.length);
    record.second = second;
    for (int i = 0; i < now.length; i++) {
      record.changes[i] = now[i] - latest[i];
    }
    if (bytes.length - length < record.mostLength()) {
      makeRoom(record.mostLength(), now.length, mostBytes);
    }
    write(record);
    latest = now;
  }

  private void write(Change record) {
    length = record.write(bytes, length, lastSecond);
    lastSecond = record.second;
  }

  private void makeRoom(int room, int numbers, int mostBytes) {
    if (length > 0) {
      join(numbers, 0);
    }
    int wanted = FIRST_BYTES;
    while (wanted < length + room) {
      wanted *= 2;
    }
    // A quarter of it stays free, so that records are not joined again with each sample.
    for (int halved = 1;
        halved < Integer.SIZE && Math.min(wanted, mostBytes) * 3L / 4 < length + room;
        halved++) {
      if (wanted < mostBytes) {
        wanted *= 2;
      } else {
        join(numbers, halved);
      }
    }
    int size = Math.max(Math.min(wanted, mostBytes), length + room);
    if (size != bytes.length) {
      bytes = Arrays.copyOf(bytes, size);
    }
  }

  /** Joins old records, in place: what is written is never longer than what has been read. */
  private void join(int numbers, int halved) {
    Change joined = new Change(numbers);
    Change next = new Change(numbers);
    long now = lastSecond;
    long writtenSecond = beforeFirstSecond;
    long readSecond = beforeFirstSecond;
    boolean empty = true;
    int end = length;
    length = 0;
    for (int at = 0; at < end; ) {
      at = next.read(bytes, at, readSecond);
      readSecond = next.second;
      long step = stepAt((now - next.second) << halved);
      if (step == 0) {
        beforeFirstSecond = next.second;
        writtenSecond = next.second;
        continue;
      }
      if (!empty && joined.second / step != next.second / step) {
        length = joined.write(bytes, length, writtenSecond);
        writtenSecond = joined.second;
        joined.clear();
      }
      joined.add(next);
      empty = false;
    }
    if (!empty) {
      length = joined.write(bytes, length, writtenSecond);
    }
  }

  /** How many seconds a record of this age stands for; 0 if it is too old. */
  private static long stepAt(long ageSeconds) {
    for (int i = 0; i < AGE_SECONDS.length; i++) {
      if (ageSeconds <= AGE_SECONDS[i]) {
        return STEP_SECONDS[i];
      }
    }
    return 0;
  }

  /**
   * Returns the numbers as they were at some moments.
   *
   * @param nanos the moments, in ascending order
   */
  synchronized long[][] at(long[] nanos) {
    int records = 0;
    Change record = new Change(latest.length);
    for (int at = 0; at < length; records++) {
      at = record.read(bytes, at, 0);
    }
    Change[] all = new Change[records];
    long second = beforeFirstSecond;
    int at = 0;
    for (int i = 0; i < records; i++) {
      all[i] = new Change(latest.length);
      at = all[i].read(bytes, at, second);
      second = all[i].second;
    }
    long[][] values = new long[nanos.length][];
    long[] value = latest.clone();
    int later = records;
    for (int i = nanos.length - 1; i >= 0; i--) {
      while (later > 0 && all[later - 1].second * NANOS_PER_SECOND + startNanos > nanos[i]) {
        later--;
        all[later].subtractFrom(value);
      }
      values[i] = value.clone();
    }
    return values;
  }

  /** Forgets all samples but the last: it is taken for those of all earlier moments. */
  synchronized void forget() {
    bytes = NOTHING;
    length = 0;
    beforeFirstSecond = lastSecond;
  }

  /** How many bytes the records take. */
  synchronized int capacityBytes() {
    return bytes.length;
  }

  /** One record, decoded. */
  private static final class Change {
    final long[] changes;
    long second;

    Change(int numbers) {
      changes = new long[numbers];
    }

    void clear() {
      Arrays.fill(changes, 0);
    }

    void add(Change later) {
      second = later.second;
      for (int i = 0; i < changes.length; i++) {
        changes[i] += later.changes[i];
      }
    }

    void subtractFrom(long[] values) {
      for (int i = 0; i < changes.length; i++) {
        values[i] -= changes[i];
      }
    }

    int mostLength() {
      int most = 20;
      for (long change : changes) {
        most += change == 0 ? 0 : 10;
      }
      return most;
    }

    int write(byte[] to, int at, long previousSecond) {
      long mask = 0;
      for (int i = 0; i < changes.length; i++) {
        mask |= changes[i] == 0 ? 0 : 1L << i;
      }
      int end = writeNumber(to, at, second - previousSecond);
      end = writeNumber(to, end, mask);
      for (long change : changes) {
        if (change != 0) {
          end = writeNumber(to, end, (change << 1) ^ (change >> 63));
        }
      }
      return end;
    }

    private long number;

    int read(byte[] from, int at, long previousSecond) {
      int end = readNumber(from, at);
      second = previousSecond + number;
      end = readNumber(from, end);
      long mask = number;
      for (int i = 0; i < changes.length; i++) {
        if (((mask >>> i) & 1) == 0) {
          changes[i] = 0;
        } else {
          end = readNumber(from, end);
          changes[i] = (number >>> 1) ^ -(number & 1);
        }
      }
      return end;
    }

    private static int writeNumber(byte[] to, int at, long value) {
      long rest = value;
      int end = at;
      while ((rest & ~0x7fL) != 0) {
        to[end++] = (byte) ((rest & 0x7f) | 0x80);
        rest >>>= 7;
      }
      to[end++] = (byte) rest;
      return end;
    }

    private int readNumber(byte[] from, int at) {
      long value = 0;
      int end = at;
      int shift = 0;
      while (from[end] < 0) {
        value |= (from[end++] & 0x7fL) << shift;
        shift += 7;
      }
      number = value | ((long) from[end++] << shift);
      return end;
    }
  }
}
