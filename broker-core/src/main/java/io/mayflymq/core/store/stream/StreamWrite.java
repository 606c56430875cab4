package io.mayflymq.core.store.stream;

import java.nio.ByteBuffer;

/**
 * What the shard hands to the flusher: records that follow each other in a segment.
 *
 * @param position where in the segment they go
 * @param records them, up to the buffer's position
 * @param index entries of the index about them, up to the buffer's position; null if there are none
 * @param nextOffset the offset behind the last of them
 * @param complete whether nothing more comes in this segment
 */
record StreamWrite(
    StreamLog log,
    StreamSegment segment,
    int position,
    ByteBuffer records,
    ByteBuffer index,
    long nextOffset,
    boolean complete) {
  int length() {
    return records.position();
  }

  int end() {
    return position + length();
  }
}
