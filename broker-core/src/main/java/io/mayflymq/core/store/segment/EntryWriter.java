package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import java.nio.ByteBuffer;

/**
 * Encodes messages of one queue as the records of a segment that belongs to this queue alone.
 * Belongs to one thread.
 */
public final class EntryWriter {
  private final long queueId;
  private final RecordFormat format = new RecordFormat();
  private final RecordHeader head = new RecordHeader();

  /** Creates a writer for the messages of a queue. */
  public EntryWriter(long queueId) {
    this.queueId = queueId;
    head.type = RecordType.ENQUEUE;
  }

  /** Creates a buffer for this writer. */
  public static ByteBuffer buffer(int capacity) {
    return RecordFormat.littleEndian(ByteBuffer.allocate(capacity));
  }

  /** How many bytes a message takes. May be more than an int can hold. */
  public static long length(Message message) {
    return RecordEncoder.length(RecordType.ENQUEUE, 1, message);
  }

  /**
   * Encodes a message at the buffer's position, and advances the position. There must be room.
   *
   * @param key the segment's {@link SegmentHeader#key}
   * @param offset where in the segment the record begins
   * @param sequence the message's number in the queue
   * @param flags eight bits for the caller's use
   * @param enqueuedAtMillis when it arrived, in ms since the epoch
   */
  public void put(
      ByteBuffer buffer,
      long key,
      int offset,
      long sequence,
      int flags,
      long enqueuedAtMillis,
      Message message) {
    int at = buffer.position();
    int length = (int) length(message);
    head.length = length;
    head.enqueuedAt = enqueuedAtMillis;
    head.targets.clear();
    head.targets.add(queueId, sequence, Long.MAX_VALUE, flags);
    RecordEncoder.message(buffer, at, head, message);
    format.seal(buffer, at, length, key, offset);
    buffer.clear().position(at + length);
  }
}
