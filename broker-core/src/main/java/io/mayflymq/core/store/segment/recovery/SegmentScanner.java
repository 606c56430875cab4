package io.mayflymq.core.store.segment.recovery;

import io.mayflymq.core.store.segment.file.FileWindow;
import io.mayflymq.core.store.segment.file.LogFile;
import io.mayflymq.core.store.segment.file.Segment;
import io.mayflymq.core.store.segment.file.SegmentHeader;
import io.mayflymq.core.store.segment.record.RecordDecoder;
import io.mayflymq.core.store.segment.record.RecordFormat;
import io.mayflymq.core.store.segment.record.RecordHeader;
import java.io.IOException;

/*
 * Reads a segment record by record, as its index is missing or not to be trusted. Where there is no good record, every byte that follows
 * is tried as the start of one: the length of a damaged record is not believed, since it could lead past good ones. That bytes which
 * are no record look like one is out of the question, see RecordFormat.
 */
public final class SegmentScanner {
  private static final int AHEAD = 1 << 20;

  private final LogFile file;
  private final Segment segment;
  private final FileWindow window;
  private final long size;
  private final RecordFormat format = new RecordFormat();
  private long end;
  private long gapFrom;

  /**
   * Begins at a segment's first record.
   *
   * @param window to read with
   */
  public SegmentScanner(LogFile file, Segment segment, FileWindow window) throws IOException {
    this(file, segment, window, SegmentHeader.SPACE);
  }

  /** Begins at an offset where a record begins. */
  public SegmentScanner(LogFile file, Segment segment, FileWindow window, long from)
      throws IOException {
    this.end = from;
    this.file = file;
    this.segment = segment;
    this.window = window;
    this.size = Math.min(file.size(), Integer.MAX_VALUE);
  }

  public static FileWindow window() {
    return new FileWindow(AHEAD);
  }

  /**
   * Goes to the next good record. What lies between it and the one before, from {@link #gapFrom()},
   * is damaged.
   *
   * @return false if there is no more
   */
  public boolean next(RecordHeader head) throws IOException {
    gapFrom = end;
    for (long at = end; at + RecordFormat.HEADER <= size; at++) {
      if (read((int) at, head)) {
        end = at + head.length;
        return true;
      }
    }
    return false;
  }

  /** Where the record before this one ended. */
  public long gapFrom() {
    return gapFrom;
  }

  /** Where the last good record ends. */
  public long end() {
    return end;
  }

  /** The length of the file. */
  long size() {
    return size;
  }

  /**
   * Whether what follows the last good record is, as far as can be told, what the file held before
   * it was this segment's, and not a record of which a part is missing.
   */
  boolean endsInOldBytes() throws IOException {
    return end < size
        && size <= segment.header.oldBytes()
        && !(window.ensure(file, end, RecordFormat.HEADER, AHEAD)
            && format.isHeader(
                window.buffer(), window.index(end), segment.key, (int) end, Integer.MAX_VALUE));
  }

  private boolean read(int at, RecordHeader head) throws IOException {
    if (!window.ensure(file, at, RecordFormat.HEADER, AHEAD)
        || !format.isHeader(window.buffer(), window.index(at), segment.key, at, size - at)) {
      return false;
    }
    int length = window.buffer().getInt(window.index(at));
    if (!window.ensure(file, at, length, AHEAD)
        || !format.isIntact(window.view(), window.index(at), segment.key, at)
        || !RecordDecoder.head(window.buffer(), window.index(at), head)) {
      return false;
    }
    head.segment = segment.number;
    head.offset = at;
    return true;
  }
}
