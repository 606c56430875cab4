package io.mayflymq.core.store.segment;

import java.nio.ByteBuffer;

/**
 * A part of a segment in memory: the shard's thread appends to it while the flusher writes what has
 * been submitted of it, which does not change any more. It is kept for reading until all of it is
 * in the file.
 */
final class WriteBuffer {
  final ByteBuffer buffer;

  /** A second view, whose position and limit the shard's thread may move. */
  final ByteBuffer view;

  /** The same for the flusher. */
  final ByteBuffer writeView;

  // Used by the shard only
  Segment segment;
  int base;
  int position;

  // Guarded by the flusher's lock
  boolean submitted;
  int limit;
  boolean complete;
  SegmentIndex index;

  // Used by the flusher only
  int written;

  /** Whether everything of it is in the file, and nothing more is added. */
  volatile boolean done;

  WriteBuffer(ByteBuffer buffer) {
    this.buffer = RecordFormat.littleEndian(buffer);
    this.view = RecordFormat.littleEndian(buffer.duplicate());
    this.writeView = buffer.duplicate();
  }

  /** Starts it again, as the part of a segment from this offset on. */
  void start(Segment inSegment, int offset) {
    segment = inSegment;
    base = offset;
    position = 0;
    submitted = false;
    limit = 0;
    complete = false;
    index = null;
    written = 0;
    done = false;
  }

  int room() {
    return buffer.capacity() - position;
  }

  long startLocation() {
    return Location.of(segment.number, base);
  }
}
