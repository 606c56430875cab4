package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.SegmentHeader;
import java.nio.ByteBuffer;

/**
 * A segment of a stream, as its shard knows it; the files that are open for writing belong to the
 * flusher.
 */
final class StreamSegment {
  /** The flag of a record that was the first of its burst. */
  static final int BEGINS_BATCH = 1;

  final SegmentHeader header;
  final long key;

  /** Its length, including what is not written yet. */
  int length = SegmentHeader.SPACE;

  /** How much of it is safe. */
  int safeLength;

  /** The offset of its last message, the position of its record, and when it arrived. */
  long lastOffset = -1;

  int lastPosition;
  long lastMillis;

  /** The offset at which the last batch of this segment began; -1 if none did. */
  long batchOffset = -1;

  /** The position of the last record that the index names. */
  private int lastIndexed;

  // Used by the flusher only

  /** Whether its files exist, with the header. */
  boolean created;

  /** Whether its index has all entries so far, and gets further ones. */
  boolean indexed;

  /** Its files, while they are open. */
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

  /** Called when a record was appended. */
  void appended(long offset, int recordLength, long millis, boolean beginsBatch) {
    lastOffset = offset;
    lastPosition = length;
    lastMillis = millis;
    length += recordLength;
    if (beginsBatch) {
      batchOffset = offset;
    }
  }

  /** Adds the last record to the index if it is far enough from the one before. */
  ByteBuffer index(ByteBuffer entries) {
    return lastIndexed == 0 || lastPosition - lastIndexed >= SparseIndex.DISTANCE
        ? indexLast(entries)
        : entries;
  }

  /** Adds the last record to the index. */
  ByteBuffer indexLast(ByteBuffer entries) {
    if (lastIndexed == lastPosition) {
      return entries;
    }
    lastIndexed = lastPosition;
    return SparseIndex.put(entries, this, lastOffset, lastMillis, lastPosition);
  }

  @Override
  public String toString() {
    return "segment " + number();
  }
}
