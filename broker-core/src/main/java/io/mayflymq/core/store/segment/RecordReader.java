package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * Reads records by their location, from memory or from their files. When records are read one after
 * the other, as when a queue is drained, it reads ahead: more and more, up to a limit, and for a
 * few queues at a time. Belongs to the shard's thread.
 */
final class RecordReader {
  private static final int WINDOWS = 4;
  private static final int CAPACITY = 256 << 10;
  private static final int FIRST_READ = 4 << 10;

  private final SegmentTable table;
  private final RecordFormat format = new RecordFormat();
  private final FileWindow[] windows = new FileWindow[WINDOWS];
  private final int[] aheads = new int[WINDOWS];
  private final long[] lastUses = new long[WINDOWS];
  private long uses;
  private ByteBuffer buffer;
  private int start;

  RecordReader(SegmentTable table) {
    this.table = table;
    for (int i = 0; i < WINDOWS; i++) {
      windows[i] = new FileWindow(CAPACITY);
    }
  }

  /**
   * Reads a record; {@link #buffer} and {@link #start} return where it is, until the next call.
   *
   * @throws DamagedRecordException if it is not as it was written
   * @throws UncheckedIOException if it cannot be read
   * @throws IllegalStateException if its segment has been deleted
   */
  void find(LogAppender tail, long location) {
    WriteBuffer writeBuffer = tail.find(location);
    if (writeBuffer != null) {
      buffer = writeBuffer.buffer;
      start = Location.offset(location) - writeBuffer.base;
    } else {
      Segment segment = table.get(Location.segment(location));
      read(segment, Location.offset(location), tail.endInFile(segment));
    }
  }

  ByteBuffer buffer() {
    return buffer;
  }

  int start() {
    return start;
  }

  /** Bytes after the end are not written yet, and must not be cached. */
  private void read(Segment segment, int offset, int end) {
    int used = window(segment.file, offset);
    FileWindow window = windows[used];
    lastUses[used] = ++uses;
    boolean isNext = window.covers(segment.file, offset, RecordFormat.HEADER);
    try {
      int room = end - offset;
      boolean good =
          window.ensure(segment.file, offset, RecordFormat.HEADER, Math.min(aheads[used], room))
              && format.isHeader(window.buffer(), window.index(offset), segment.key, offset, room);
      if (good) {
        int length = window.buffer().getInt(window.index(offset));
        if (isNext && !window.covers(segment.file, offset, length)) {
          readMore(used);
        }
        good =
            window.ensure(segment.file, offset, length, Math.min(aheads[used], room))
                && format.isIntact(window.view(), window.index(offset), segment.key, offset);
      }
      if (!good) {
        throw new DamagedRecordException(
            "the record at " + offset + " of " + SegmentNames.log(segment.number) + " is damaged");
      }
    } catch (IOException e) {
      window.clear();
      throw new UncheckedIOException(e);
    }
    buffer = window.buffer();
    start = window.index(offset);
  }

  private void readMore(int window) {
    aheads[window] = Math.min(CAPACITY, aheads[window] * 2);
  }

  /** Returns the window that contains the offset, or should be moved there. */
  private int window(LogFile file, int offset) {
    int oldest = 0;
    for (int i = 0; i < WINDOWS; i++) {
      if (windows[i].isNear(file, offset, FIRST_READ)) {
        if (!windows[i].covers(file, offset, RecordFormat.HEADER)) {
          readMore(i);
        }
        return i;
      }
      if (lastUses[i] < lastUses[oldest]) {
        oldest = i;
      }
    }
    aheads[oldest] = FIRST_READ;
    return oldest;
  }
}
