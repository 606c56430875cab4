package io.mayflymq.core.store.segment;

/** The type of a record. */
enum RecordType {
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
  QUEUE(9, false),
  /**
   * The end of a burst of a replicated log: the marked records behind the one before it are there
   * as a whole, or not at all.
   */
  BURST(10, false),
  /** Which bursts a replicated log had before this segment. */
  HISTORY(11, false),
  /** Up to which number the batches of a link have been applied, in a replicated log. */
  APPLIED(12, false),
  /**
   * Messages of a queue, by their range, that lie in a certain segment have left it, and can be
   * brought back.
   */
  REMOVED(13, false);

  /** The bit of a record's type that says that it is part of a burst. */
  public static final int IN_BURST = 0x80;

  private static final RecordType[] BY_CODE = {
    null, ENQUEUE, MOVE, RELOCATE, SETTLE, FORGET, DELIVERED, FORCED, RETURNED, QUEUE, BURST,
    HISTORY, APPLIED, REMOVED
  };

  public final byte code;
  public final boolean hasContent;

  RecordType(int code, boolean hasContent) {
    this.code = (byte) code;
    this.hasContent = hasContent;
  }

  /** Returns the type of this code, whether it has {@link #IN_BURST} or not; null if none has. */
  public static RecordType of(int code) {
    int plain = code & (IN_BURST - 1);
    return plain < BY_CODE.length ? BY_CODE[plain] : null;
  }

  /** Returns whether a code has {@link #IN_BURST}. */
  public static boolean isInBurst(int code) {
    return (code & IN_BURST) != 0;
  }
}
