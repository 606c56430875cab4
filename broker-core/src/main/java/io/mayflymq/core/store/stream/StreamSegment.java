package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.file.LogFile;
import io.mayflymq.core.store.segment.file.SegmentHeader;
import java.nio.ByteBuffer;

/**
 * A segment of a stream, as its shard knows it; the files that are open for writing are the
 * flusher's.
 */
final class StreamSegment {
  final SegmentHeader header;
  final long key;

  /** How long it is, with what is not written yet. */
  int length = SegmentHeader.SPACE;

  /** How much of it is safe. */
  int safeLength;

  /** The offset of its last message, where the record of that begins, and when it came. */
  long lastOffset = -1;

  int lastPosition;
  long lastMillis;

  /** The offset at which the last batch began that began here; -1 if none did. */
  long batchOffset = -1;

  /** The position of the last record that the index names. */
  private int indexed;

  // The flusher's
  LogFile file;
  LogFile index;
  int indexLength;
  int forcedLength;

  StreamSegment(SegmentHeader header) {
    this.header = header;
    this.key = header.key();
  }

  int number() {
    return header.segment();
  }

  /** The offset of its first message, if it has one. */
  long firstOffset() {
    return header.firstRecord();
  }

  boolean isSafe() {
    return safeLength == length;
  }

  /** A record was appended. */
  void appended(long offset, int recordLength, long millis, boolean beginsBatch) {
    lastOffset = offset;
    lastPosition = length;
    lastMillis = millis;
    length += recordLength;
    if (beginsBatch) {
      batchOffset = offset;
    }
  }

  /** Notes the last record for the index if it is far enough behind the one before. */
  ByteBuffer index(ByteBuffer entries) {
    return indexed == 0 || lastPosition - indexed >= SparseIndex.DISTANCE
        ? indexLast(entries)
        : entries;
  }

  /** Notes the last record for the index. */
  ByteBuffer indexLast(ByteBuffer entries) {
    if (indexed == lastPosition) {
      return entries;
    }
    indexed = lastPosition;
    return SparseIndex.put(entries, this, lastOffset, lastMillis, lastPosition);
  }

  @Override
  public String toString() {
    return "segment " + number();
  }
}
