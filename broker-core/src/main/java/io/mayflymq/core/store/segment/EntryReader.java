package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import java.io.IOException;

/**
 * Reads the records that {@link EntryWriter} wrote, one after the other. It has a window of its
 * own, so that several readers do not disturb each other. Belongs to one thread.
 */
public final class EntryReader {
  private static final int AHEAD = 128 << 10;

  private final FileWindow window = new FileWindow(AHEAD);
  private final RecordFormat format = new RecordFormat();
  private final RecordDecoder decoder = new RecordDecoder();
  private final RecordHeader head = new RecordHeader();
  private LogFile file;
  private long key;
  private int next;

  /**
   * Moves to a place in a segment.
   *
   * @param segmentFile the segment; the caller closes it
   * @param segmentKey the segment's {@link SegmentHeader#key}
   * @param offset where a record begins
   */
  public void seek(LogFile segmentFile, long segmentKey, int offset) {
    if (segmentFile != file) {
      window.clear();
    }
    file = segmentFile;
    key = segmentKey;
    next = offset;
  }

  /**
   * Moves to the next record.
   *
   * @param end up to where the segment may be read; bytes after that may still change
   * @return false if there is none before the end, or the bytes are not a valid record
   * @throws IOException if the file cannot be read
   */
  public boolean next(int end) throws IOException {
    int room = end - next;
    if (room < RecordFormat.HEADER
        || !window.ensure(file, next, RecordFormat.HEADER, Math.min(AHEAD, room))
        || !format.isHeader(window.buffer(), window.index(next), key, next, room)) {
      return false;
    }
    int length = window.buffer().getInt(window.index(next));
    if (!window.ensure(file, next, length, Math.min(AHEAD, room))
        || !format.isIntact(window.view(), window.index(next), key, next)
        || !RecordDecoder.head(window.buffer(), window.index(next), head)
        || head.type != RecordType.ENQUEUE) {
      return false;
    }
    head.offset = next;
    next += length;
    return true;
  }

  /** Releases the file, before it is closed; another one may follow. */
  public void reset() {
    window.clear();
    file = null;
  }

  /** Where the record begins. */
  public int offset() {
    return head.offset;
  }

  /** Where the next one begins. */
  public int end() {
    return next;
  }

  /** The message's number in its queue. */
  public long sequence() {
    return head.targets.sequence(0);
  }

  /** The writer's eight bits. */
  public int flags() {
    return head.targets.flags(0);
  }

  /** When it came, in ms since the epoch. */
  public long enqueuedAtMillis() {
    return head.enqueuedAt;
  }

  /** The message; a new object at each call. */
  public Message message() {
    return decoder.message(window.buffer(), window.index(head.offset));
  }
}
