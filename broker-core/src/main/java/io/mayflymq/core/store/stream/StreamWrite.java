package io.mayflymq.core.store.stream;

import java.nio.ByteBuffer;

/**
 * Records that the shard passes to the flusher: consecutive ones of a segment.
 *
 * @param position their position in the segment
 * @param records the records, up to the buffer's position
 * @param index their index entries, up to the buffer's position; null if there are none
 * @param nextOffset the offset after the last of them
 * @param complete whether nothing more is added to this segment
 */
record StreamWrite(
    StreamOutput stream,
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
