package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.EntryReader;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.SegmentHeader;
import io.mayflymq.core.store.segment.SegmentNames;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/**
 * A segment that is open for reading, with its index: any message is found with a few reads of the
 * index, and of the records between two of its entries. Belongs to the shard's thread.
 */
final class SegmentSearch implements AutoCloseable {
  private final StreamSegment segment;
  private final LogFile file;
  private final SparseIndex index;
  private final EntryReader entries;

  /**
   * Opens a segment.
   *
   * @param entries reads the segment
   */
  SegmentSearch(LogDirectory directory, StreamSegment segment, EntryReader entries)
      throws IOException {
    this.segment = segment;
    this.entries = entries;
    this.file = directory.open(SegmentNames.log(segment.number()), false);
    this.index = openIndex(directory, segment);
  }

  /** Opens the index. A missing index is treated as an empty one: then all records are read. */
  private static SparseIndex openIndex(LogDirectory directory, StreamSegment segment)
      throws IOException {
    try {
      return new SparseIndex(directory.open(SparseIndex.name(segment.number()), false), segment);
    } catch (NoSuchFileException | FileNotFoundException e) {
      return null;
    }
  }

  StreamSegment segment() {
    return segment;
  }

  /** Returns the reader of the segment, at its present place. */
  EntryReader entries() {
    return entries;
  }

  /**
   * Moves to the message with this offset, or the first one after it.
   *
   * @return false if there is none
   */
  boolean seek(long offset) throws IOException {
    begin(index == null ? SegmentHeader.SPACE : index.positionOf(offset, SegmentHeader.SPACE));
    boolean found = next();
    while (found && entries.sequence() < offset) {
      found = next();
    }
    return found;
  }

  /** Goes to the next message. @return false if there is none that is intact */
  boolean next() throws IOException {
    return entries.next(segment.safeLength);
  }

  /**
   * Continues after a damaged record, at the next one that the index names.
   *
   * @return false if there is none
   */
  boolean skipDamage() throws IOException {
    int position = index == null ? -1 : index.positionBehind(entries.end());
    if (position < 0) {
      return false;
    }
    begin(position);
    return true;
  }

  /** Whether everything that is safe has been read. */
  boolean atEnd() {
    return entries.end() >= segment.safeLength;
  }

  /**
   * Returns the offset of the first message that arrived at or after this time; -1 if there is
   * none.
   */
  long offsetAt(long timeMillis) throws IOException {
    begin(
        index == null
            ? SegmentHeader.SPACE
            : index.positionBefore(timeMillis, SegmentHeader.SPACE));
    while (next()) {
      if (entries.enqueuedAtMillis() >= timeMillis) {
        return entries.sequence();
      }
    }
    return -1;
  }

  /**
   * Returns the offset of the last message that began a batch, or else that of the first message.
   */
  long lastBatch() throws IOException {
    int end = segment.safeLength;
    for (int i = index == null ? -1 : index.count() - 1; i >= 0; i--) {
      if (index.read(i) && index.position() < end) {
        int from = index.position();
        long found = lastBatch(from, end);
        if (found >= 0) {
          return found;
        }
        end = from;
      }
    }
    long found = lastBatch(SegmentHeader.SPACE, end);
    return found >= 0 ? found : segment.firstOffset();
  }

  private long lastBatch(int from, int end) throws IOException {
    begin(from);
    long found = -1;
    while (entries.next(end)) {
      if ((entries.flags() & StreamSegment.BEGINS_BATCH) != 0) {
        found = entries.sequence();
      }
    }
    return found;
  }

  private void begin(int position) {
    entries.seek(file, segment.key, position);
  }

  @Override
  public void close() throws IOException {
    file.close();
    if (index != null) {
      index.close();
    }
  }
}
