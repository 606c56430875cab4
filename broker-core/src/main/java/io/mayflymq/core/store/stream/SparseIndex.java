package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The index of a segment: the positions of some of its records: the first, the last, and between
 * them one in every DISTANCE bytes or more. It is searched in its file, so a stream takes no memory
 * for it, however long the stream is. An entry is written after its record has been forced, so
 * recovery need not examine records before the last entry.
 *
 * <pre>{@code
 *  0  long  offset of the message
 *  8  long  when it arrived, ms since the epoch
 * 16  int   position of the record
 * 20  int   CRC32C of the bytes above, masked with the segment's key
 * }</pre>
 */
final class SparseIndex implements AutoCloseable {
  /** The distance between the records that it names, in bytes. */
  static final int DISTANCE = 16 << 10;

  static final int ENTRY = 24;

  private static final int CHECKED = 20;

  private final LogFile file;
  private final StreamSegment segment;
  private final ByteBuffer entry = littleEndian(ENTRY);
  private final int count;

  SparseIndex(LogFile file, StreamSegment segment) throws IOException {
    this.file = file;
    this.segment = segment;
    this.count = (int) Math.min(file.size() / ENTRY, Integer.MAX_VALUE);
  }

  static String name(int segment) {
    return "%010d.offsets".formatted(segment);
  }

  private static ByteBuffer littleEndian(int capacity) {
    return ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Adds an entry to a buffer; returns the buffer, or a larger one if there was no room. */
  static ByteBuffer put(
      ByteBuffer entries, StreamSegment segment, long offset, long millis, int position) {
    ByteBuffer target = entries;
    if (target == null || target.remaining() < ENTRY) {
      target = littleEndian(entries == null ? ENTRY : entries.capacity() * 2);
      if (entries != null) {
        target.put(entries.flip());
      }
    }
    int at = target.position();
    target.putLong(offset).putLong(millis).putInt(position);
    target.putInt(crc(target, at, segment));
    return target;
  }

  private static int crc(ByteBuffer buffer, int at, StreamSegment segment) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.duplicate().limit(at + CHECKED).position(at));
    return (int) (crc.getValue() ^ segment.key);
  }

  int count() {
    return count;
  }

  /**
   * Reads an entry, for the methods below.
   *
   * @return false if it is damaged
   */
  boolean read(int number) throws IOException {
    entry.clear();
    return file.read(entry, (long) number * ENTRY) == ENTRY
        && entry.getInt(CHECKED) == crc(entry, 0, segment);
  }

  long offset() {
    return entry.getLong(0);
  }

  long millis() {
    return entry.getLong(8);
  }

  int position() {
    return entry.getInt(16);
  }

  /**
   * Returns the position of the last record that it names with an offset not above this one.
   *
   * @param first the position of the first record, if it names none
   */
  int positionOf(long offset, int first) throws IOException {
    return search(first, () -> offset() <= offset);
  }

  /** Returns the position of the last record that it names that arrived before this time. */
  int positionBefore(long millis, int first) throws IOException {
    return search(first, () -> millis() < millis);
  }

  /**
   * Returns the position of the first record that it names after a position; -1 if there is none.
   */
  int positionBehind(int position) throws IOException {
    for (int i = 0; i < count; i++) {
      if (read(i) && position() > position) {
        return position();
      }
    }
    return -1;
  }

  /** The position of the last record that it names; -1 if it names none. */
  int lastPosition() throws IOException {
    for (int i = count - 1; i >= 0; i--) {
      if (read(i)) {
        return position();
      }
    }
    return -1;
  }

  /** Whether every entry is intact. */
  boolean isWhole() throws IOException {
    for (int i = 0; i < count; i++) {
      if (!read(i)) {
        return false;
      }
    }
    return true;
  }

  private interface Test {
    boolean holds();
  }

  /**
   * Searches for the end of the entries that pass the test; all entries that pass come before those
   * that fail.
   */
  private int search(int first, Test test) throws IOException {
    int found = first;
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (read(middle) && test.holds()) {
        found = position();
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return found;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
