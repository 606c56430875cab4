package io.mayflymq.core.store.segment.record;

/** The type of a record. */
public enum RecordType {
  /** A message entered queues. */
  ENQUEUE(1, true),
  /** A message left a queue and, changed or not, entered others: both or neither. */
  MOVE(2, true),
  /** A message was copied here from an earlier segment, and its entries there are void. */
  RELOCATE(3, true),
  /** Messages of a queue, by their range, that lie in a certain segment are gone. */
  SETTLE(4, false),
  /** A queue was deleted: all its entries in a certain segment are gone. */
  FORGET(5, false),
  /** Messages of a queue with numbers up to one may have been delivered. */
  DELIVERED(6, false),
  /**
   * How much of this segment was forced when this was appended: a crash cannot have damaged that.
   */
  FORCED(7, false),
  /** How often messages of a queue have been returned, and until when they wait. */
  RETURNED(8, false),
  /** The name of a queue that has messages in this segment. */
  QUEUE(9, false);

  private static final RecordType[] BY_CODE = {
    null, ENQUEUE, MOVE, RELOCATE, SETTLE, FORGET, DELIVERED, FORCED, RETURNED, QUEUE
  };

  public final byte code;
  public final boolean hasContent;

  RecordType(int code, boolean hasContent) {
    this.code = (byte) code;
    this.hasContent = hasContent;
  }

  /** Returns the type of this code; null if there is none. */
  public static RecordType of(int code) {
    return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
