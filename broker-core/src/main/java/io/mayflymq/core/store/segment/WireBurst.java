package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.BurstId;
import java.nio.ByteBuffer;

/**
 * A burst in the form in which replicas send it.
 *
 * <p>A burst as replicas send it: the leader's time in ms since the epoch (8 bytes), and the
 * burst's records. A record is the same as in the log, except for what is private to a log: the
 * segment that SETTLE, FORGET, REMOVED and MOVE name is 0, the type has no mark, and the check and
 * CRC are masked with a key of 0 and the record's place in the burst. So a burst that has changed
 * on its way is noticed.
 *
 * @param content as {@link Writer} makes it
 */
public record WireBurst(BurstId id, ByteBuffer content) {
  /** The leader's time of a content that is no burst, but messages of the files of streams. */
  public static final long OF_STREAM_FILES = -1;

  /** Where the records begin. */
  public static final int RECORDS = Long.BYTES;

  private static final long KEY = 0;

  /**
   * Returns the leader's time at the end of a burst, in ms since the epoch; 0 if it is empty
   * altogether.
   */
  public static long leaderMillis(ByteBuffer content) {
    return content.limit() == 0 ? 0 : RecordFormat.littleEndian(content.duplicate()).getLong(0);
  }

  /** Collects the records of a burst. */
  public static final class Writer {
    private static final int CAPACITY = 1 << 10;

    private final RecordFormat format = new RecordFormat();
    private ByteBuffer buffer;

    /** A view of it whose position and limit are moved. */
    private ByteBuffer view;

    private int end;

    /** Begins a burst without records. */
    public void begin() {
      begin(CAPACITY);
    }

    /**
     * Begins a burst without records.
     *
     * @param room how many bytes of records are expected
     */
    public void begin(int room) {
      use(ByteBuffer.allocate(RECORDS + room));
      end = RECORDS;
    }

    private void use(ByteBuffer room) {
      buffer = RecordFormat.littleEndian(room);
      view = RecordFormat.littleEndian(room.duplicate());
    }

    /** Adds a copy of a record. */
    public void add(ByteBuffer from, int start) {
      int length = from.getInt(start);
      makeRoom(length);
      buffer.put(end, from, start, length);
      RecordType type = RecordType.of(from.get(start + 4));
      buffer.put(end + 4, type.code);
      int segment = RecordFormat.segmentAt(type);
      if (segment > 0) {
        buffer.putInt(end + segment, 0);
      }
      seal(length);
    }

    private void makeRoom(int length) {
      if (buffer.capacity() - end < length) {
        int larger = Math.max(end + length, 2 * buffer.capacity());
        use(ByteBuffer.allocate(larger).put(0, buffer, 0, end));
      }
    }

    private void seal(int length) {
      format.seal(view.clear(), end, length, KEY, end);
      end += length;
    }

    /**
     * Adds a message of another record as one that enters queues.
     *
     * @param head has the queues
     * @param type that of the other record
     * @param targets how many queues that has
     * @param from the buffer with the other record
     * @param start where it begins
     */
    public void addEntry(
        RecordHeader head, RecordType type, int targets, ByteBuffer from, int start) {
      int tail = RecordDecoder.tail(type, targets);
      int tailLength = from.getInt(start) - tail;
      head.type = RecordType.ENQUEUE;
      head.inBurst = false;
      head.length = RecordDecoder.tail(head.type, head.targets.size()) + tailLength;
      makeRoom(head.length);
      RecordEncoder.relocation(buffer, end, head, from, start, tail, tailLength);
      seal(head.length);
    }

    /** Adds a message that enters queues. */
    public void addMessage(RecordTargets targets, long enqueuedAtMillis, Message message) {
      RecordHeader head = new RecordHeader();
      head.type = RecordType.ENQUEUE;
      head.targets.set(targets);
      head.enqueuedAt = enqueuedAtMillis;
      head.length =
          Math.toIntExact(RecordEncoder.length(RecordType.ENQUEUE, targets.size(), message));
      makeRoom(head.length);
      RecordEncoder.message(buffer, end, head, message);
      seal(head.length);
    }

    /** Adds a note of what may have been delivered. */
    public void addDelivered(RecordHeader head) {
      head.type = RecordType.DELIVERED;
      head.inBurst = false;
      head.length = RecordFormat.DELIVERED_LENGTH;
      makeRoom(head.length);
      RecordEncoder.delivered(buffer, end, head);
      seal(head.length);
    }

    /** Adds a note of what has been returned. */
    public void addReturned(RecordHeader head) {
      head.type = RecordType.RETURNED;
      head.inBurst = false;
      head.length = RecordFormat.RETURNED_FIXED + head.returnedNotes.length;
      makeRoom(head.length);
      RecordEncoder.returned(buffer, end, head);
      seal(head.length);
    }

    /** Adds a note of which batches of commands have been applied. */
    public void addApplied(RecordHeader head) {
      head.type = RecordType.APPLIED;
      head.inBurst = false;
      head.length = RecordFormat.APPLIED_FIXED + head.appliedOutcome.length;
      makeRoom(head.length);
      RecordEncoder.applied(buffer, end, head);
      seal(head.length);
    }

    /** Returns how many bytes it has so far. */
    public int length() {
      return end;
    }

    /** Ends the burst and returns its content. */
    public ByteBuffer end(long leaderMillis) {
      return buffer.putLong(0, leaderMillis).limit(end);
    }
  }

  /** Goes through the records of a burst. */
  public static final class Reader {
    private final RecordFormat format = new RecordFormat();
    private final ByteBuffer buffer;
    private final ByteBuffer view;
    private int next;

    /** Begins before the first record. */
    public Reader(ByteBuffer content) {
      buffer = RecordFormat.littleEndian(content.duplicate());
      view = RecordFormat.littleEndian(content.duplicate());
      next = Math.min(RECORDS, content.limit());
    }

    /**
     * Goes to the next record.
     *
     * @throws IllegalArgumentException if it is not as it was sent
     */
    public boolean next(RecordHeader head) {
      int room = buffer.limit() - next;
      if (room == 0) {
        return false;
      }
      if (room < RecordFormat.HEADER
          || !format.isHeader(buffer, next, KEY, next, room)
          || !isWhole(head)
          || !isOfQueues(head.type)) {
        throw new IllegalArgumentException("no record of a burst at " + next);
      }
      head.offset = next;
      next += head.length;
      return true;
    }

    private boolean isWhole(RecordHeader head) {
      return format.isIntact(view, next, KEY, next) && RecordDecoder.head(buffer, next, head);
    }

    private static boolean isOfQueues(RecordType type) {
      return switch (type) {
        case ENQUEUE, MOVE, SETTLE, FORGET, REMOVED, DELIVERED, RETURNED, APPLIED -> true;
        case RELOCATE, FORCED, QUEUE, BURST, HISTORY -> false;
      };
    }

    /** Returns the buffer that has the record. */
    public ByteBuffer buffer() {
      return buffer;
    }
  }
}
