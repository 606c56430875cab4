package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of a record of a log. Numbers are little-endian; fields follow one another and are not
 * aligned. Not thread-safe.
 *
 * <h2>All records</h2>
 *
 * <pre>
 *  0  int    length of the whole record
 *  4  byte   type; with bit 7 if the record is part of a burst of a replicated log
 *  5  byte   version of the type's layout
 *  6  short  check of the bytes above
 *  8  int    CRC32C of the bytes from 12 to the end
 * 12  ...    the fields of the type
 * </pre>
 *
 * <h2>ENQUEUE, MOVE, RELOCATE</h2>
 *
 * <pre>
 * 12  long   when the message was enqueued, in ms since the epoch
 * 20  long   the message's own time to live in ms, or -1
 * 28  int    length of the properties
 * 32  int    length of the body
 * 36  byte   priority
 * 37  byte   flags, see below
 * 38  short  number of targets
 * 40  int    length of the blind keys
 * 44         MOVE: long queue, long sequence, int segment that the message left
 *            RELOCATE: int segment that the message was copied from
 *            each target: long queue, long sequence, long deadline, byte flags
 *            exchange and routing key as short strings
 *            blind keys, each an int length and UTF-8
 *            properties, body
 * </pre>
 *
 * <p>The flags are added: 1 if the message is persistent, 2 if it is routed by its routing key
 * alone, 4 if its publisher set the priority 0, 8 if its publisher set its x-death header.
 *
 * <h2>Other types</h2>
 *
 * <pre>
 * SETTLE     long queue, long from, long to, int segment
 * FORGET     long queue, int segment
 * REMOVED    long queue, long from, long to, int segment,
 *            long when and why ({@link io.mayflymq.core.store.RemovalStamp})
 * DELIVERED  long queue, long last sequence number
 * FORCED     int offset in the segment
 * RETURNED   long queue, byte 1 if earlier notes about the queue are void,
 *            notes ({@link io.mayflymq.core.store.RedeliveryNotes})
 * QUEUE      long queue, long sequence number of metadata at that time,
 *            name ({@link io.mayflymq.core.store.QueueName})
 * BURST      long number, long epoch, int records, long committed,
 *            long time of the leader in ms since the epoch
 * HISTORY    long number of the last burst before the segment, long base, long committed,
 *            byte 1 if the segment began within a burst, short number of epochs,
 *            each epoch: long epoch, long number of its first burst
 * APPLIED    int node, long and long id of its link, long number of a batch of commands,
 *            long number of the last batch whose outcome is not known any more,
 *            outcome of the batch as a link's RETURNED has it; nothing if all have succeeded
 * </pre>
 *
 * <h2>Check and CRC</h2>
 *
 * <p>Both are masked with a number that is computed from the random id of the log, the number of
 * the segment and the offset. So bytes are a valid record at one place of one log only. When a
 * damaged log is searched for the next valid record, two things are never taken for one: a copy of
 * a record in the body of a message, which a client may send, and old bytes in a file that is used
 * again.
 */
public final class RecordFormat {
  public static final int HEADER = 12;
  static final int ENTRY_FIXED = 44;
  static final int MOVE_SOURCE = 20;
  static final int RELOCATE_SOURCE = 4;
  static final int TARGET = 25;
  public static final int SETTLE_LENGTH = HEADER + 28;
  public static final int FORGET_LENGTH = HEADER + 12;
  public static final int REMOVED_LENGTH = HEADER + 36;
  public static final int DELIVERED_LENGTH = HEADER + 16;
  public static final int FORCED_LENGTH = HEADER + 4;
  public static final int RETURNED_FIXED = HEADER + 9;
  public static final int QUEUE_FIXED = HEADER + 16;
  public static final int BURST_LENGTH = HEADER + 36;
  public static final int HISTORY_FIXED = HEADER + 27;
  public static final int EPOCH = 16;
  public static final int APPLIED_FIXED = HEADER + 36;
  static final byte VERSION = 1;
  static final int PERSISTENT = 1;
  static final int ONE_KEY = 2;
  static final int PRIORITY_ZERO = 4;
  static final int PUBLISHED_DEATHS = 8;

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final CRC32C crc = new CRC32C();

  /** Returns the key from which the masks of a segment are computed. */
  public static long segmentKey(long logId, int segment) {
    return mix(logId + segment * GOLDEN);
  }

  /**
   * Completes a record whose length, type and content are in the buffer.
   *
   * @param view a view of the buffer whose position and limit may be moved
   */
  public void seal(ByteBuffer view, int at, int length, long key, int offset) {
    long mask = mask(key, offset);
    view.limit(at + length);
    view.put(at + 5, VERSION);
    view.putShort(at + 6, check(mask, view.getLong(at)));
    view.putInt(at + 8, contentCrc(view, at, length) ^ (int) mask);
  }

  /** Whether a record may begin here: a valid length, type, version and check. */
  public boolean isHeader(ByteBuffer buffer, int at, long key, int offset, long room) {
    int length = buffer.getInt(at);
    RecordType type = RecordType.of(buffer.get(at + 4));
    return type != null
        && buffer.get(at + 5) == VERSION
        && length >= leastLength(type)
        && length <= room
        && buffer.getShort(at + 6) == check(mask(key, offset), buffer.getLong(at));
  }

  /** Whether a record is as it was written. Moves the view's position and limit. */
  public boolean isIntact(ByteBuffer view, int at, long key, int offset) {
    view.clear();
    int length = view.getInt(at);
    return view.getInt(at + 8) == (contentCrc(view, at, length) ^ (int) mask(key, offset));
  }

  private int contentCrc(ByteBuffer view, int at, int length) {
    view.limit(at + length).position(at + HEADER);
    crc.reset();
    crc.update(view);
    return (int) crc.getValue();
  }

  static int leastLength(RecordType type) {
    return switch (type) {
      case ENQUEUE -> ENTRY_FIXED + TARGET + 2;
      case MOVE -> ENTRY_FIXED + MOVE_SOURCE + TARGET + 2;
      case RELOCATE -> ENTRY_FIXED + RELOCATE_SOURCE + TARGET + 2;
      case SETTLE -> SETTLE_LENGTH;
      case FORGET -> FORGET_LENGTH;
      case REMOVED -> REMOVED_LENGTH;
      case DELIVERED -> DELIVERED_LENGTH;
      case FORCED -> FORCED_LENGTH;
      case RETURNED -> RETURNED_FIXED;
      case QUEUE -> QUEUE_FIXED + Short.BYTES;
      case BURST -> BURST_LENGTH;
      case HISTORY -> HISTORY_FIXED;
      case APPLIED -> APPLIED_FIXED;
    };
  }

  /** Returns the flags of an entry for its message. */
  static int flags(Message message) {
    return (message.persistent() ? PERSISTENT : 0)
        | (message.hasOneKey() ? ONE_KEY : 0)
        | (message.ownPriority() == 0 ? PRIORITY_ZERO : 0)
        | (message.hasPublishedDeaths() ? PUBLISHED_DEATHS : 0);
  }

  static int sourceLength(RecordType type) {
    return switch (type) {
      case MOVE -> MOVE_SOURCE;
      case RELOCATE -> RELOCATE_SOURCE;
      default -> 0;
    };
  }

  /**
   * Returns where a record of a queue has the segment of what it marks as gone; 0 if it has none.
   */
  static int segmentAt(RecordType type) {
    return switch (type) {
      case MOVE -> ENTRY_FIXED + 16;
      case SETTLE, REMOVED -> HEADER + 24;
      case FORGET -> HEADER + 8;
      default -> 0;
    };
  }

  public static ByteBuffer littleEndian(ByteBuffer buffer) {
    return buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  private static long mask(long key, int offset) {
    return mix(key + offset * GOLDEN);
  }

  /** Computes the check of the first six bytes: length, type, version. */
  private static short check(long mask, long start) {
    return (short) (mix(mask ^ (start & 0xffff_ffff_ffffL)) >>> 48);
  }

  private static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
