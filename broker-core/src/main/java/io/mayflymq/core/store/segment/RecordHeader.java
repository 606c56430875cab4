package io.mayflymq.core.store.segment;

/**
 * All that a record tells but its content, to be filled and used over and over. What its type does
 * not have is undefined.
 */
final class RecordHeader {
  RecordType type;
  int segment;
  int offset;
  int length;

  // Records with content
  long enqueuedAt;
  int bodyLength;
  int priority;
  final RecordTargets targets = new RecordTargets();

  // What is gone by it: of MOVE, RELOCATE (of each target), SETTLE and FORGET
  long goneQueue;
  long goneFrom;
  long goneTo;
  int goneSegment;

  // DELIVERED
  long deliveredQueue;
  long deliveredUpTo;

  // FORCED
  int forcedTo;

  // RETURNED
  long returnedQueue;
  boolean returnedAll;
  byte[] returnedNotes;

  // QUEUE
  long namedQueue;
  long metadataSeen;
  byte[] queueName;

  long location() {
    return Location.of(segment, offset);
  }

  /** How many entries of the earlier segment are void by this record; ranges count as one. */
  int goneCount() {
    return switch (type) {
      case ENQUEUE, DELIVERED, FORCED, RETURNED, QUEUE -> 0;
      case RELOCATE -> targets.size();
      case MOVE, SETTLE, FORGET -> 1;
    };
  }
}
