package io.mayflymq.core.store.segment.record;

/** What a record tells. */
public enum RecordType {
  /** A message entered queues. */
  ENQUEUE(1, true),
  /** A message left a queue and, changed or not, entered others: both or neither. */
  MOVE(2, true),
  /** A message was copied here from an earlier segment, and what is there of it is void. */
  RELOCATE(3, true),
  /** Messages of a queue, by their range, that lie in a certain segment are gone. */
  SETTLE(4, false),
  /** A queue is gone with all that lies in a certain segment. */
  FORGET(5, false),
  /** Messages of a queue with numbers up to one may have been delivered. */
  DELIVERED(6, false),
  /** What the disk had of this segment when this was appended: a crash cannot have harmed that. */
  FORCED(7, false),
  /** How often messages of a queue have come back, and until when those wait that do. */
  RETURNED(8, false),
  /** What a queue is called that has messages in this segment. */
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

  /** The type of this code; null if there is none. */
  public static RecordType of(int code) {
    return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
