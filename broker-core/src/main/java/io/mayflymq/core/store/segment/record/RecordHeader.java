package io.mayflymq.core.store.segment.record;

/**
 * All fields of a record except its content, to be filled and reused. Fields that its type does not
 * have are undefined.
 */
public final class RecordHeader {
  public RecordType type;
  public int segment;
  public int offset;
  public int length;

  // Records with content
  public long enqueuedAt;
  public int bodyLength;
  public int priority;
  public final RecordTargets targets = new RecordTargets();

  // What it marks as gone: of MOVE, RELOCATE (of each target), SETTLE and FORGET
  public long goneQueue;
  public long goneFrom;
  public long goneTo;
  public int goneSegment;

  // DELIVERED
  public long deliveredQueue;
  public long deliveredUpTo;

  // FORCED
  public int forcedTo;

  // RETURNED
  public long returnedQueue;
  public boolean returnedAll;
  public byte[] returnedNotes;

  // QUEUE
  public long namedQueue;
  public long metadataSeen;
  public byte[] queueName;

  public long location() {
    return Location.of(segment, offset);
  }

  /** Returns how many entries of the earlier segment this record voids; ranges count as one. */
  public int goneCount() {
    return switch (type) {
      case ENQUEUE, DELIVERED, FORCED, RETURNED, QUEUE -> 0;
      case RELOCATE -> targets.size();
      case MOVE, SETTLE, FORGET -> 1;
    };
  }
}
