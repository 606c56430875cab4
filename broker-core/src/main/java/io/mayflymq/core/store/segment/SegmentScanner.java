package io.mayflymq.core.store.segment;

import java.io.IOException;

/**
 * Reads a segment record by record, if its index is missing or not reliable. Where there is no
 * valid record, every following byte is tried as the start of one: the length of a damaged record
 * is not used, since it could lead past valid ones. Other bytes practically never look like a valid
 * record, see {@link RecordFormat}.
 */
final class SegmentScanner {
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
   * Moves to the next valid record. The bytes between it and the one before, from {@link
   * #gapFrom()}, are damaged.
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

  /** Returns where the last valid record ends. */
  public long end() {
    return end;
  }

  /** The length of the file. */
  long size() {
    return size;
  }

  /**
   * Whether the bytes after the last valid record are, as far as can be determined, old bytes of a
   * reused file, and not an incomplete record.
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
