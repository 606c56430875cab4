package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.core.store.StoreIds;

/**
 * All fields of a record except its content, to be filled and reused. Fields that its type does not
 * have are undefined.
 */
public final class RecordHeader {
  public RecordType type;

  /** Whether it is part of a burst of a replicated log. */
  public boolean inBurst;

  public int segment;
  public int offset;
  public int length;

  // Records with content
  public long enqueuedAt;
  public int bodyLength;

  /** That of the message, 0 to 255, or {@link io.mayflymq.core.message.Message#NO_PRIORITY}. */
  public int priority;

  public final RecordTargets targets = new RecordTargets();

  // What it marks as gone: of MOVE, RELOCATE (of each target), SETTLE, FORGET and REMOVED
  public long goneQueue;
  public long goneFrom;
  public long goneTo;
  public int goneSegment;

  // REMOVED
  public long removal;

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

  // BURST: its name; HISTORY: that of the last one before the segment
  public BurstId burst = BurstId.NONE;

  // BURST, HISTORY
  public long committed;

  // BURST
  public int burstRecords;
  public long leaderMillis;

  // HISTORY
  public long base;
  public boolean withinBurst;
  public EpochHistory history = EpochHistory.NONE;

  // APPLIED
  public BatchOrigin appliedOrigin;
  public long appliedNumber;
  public long unknownUpTo;
  public byte[] appliedOutcome;

  public long location() {
    return Location.of(segment, offset);
  }

  /**
   * Returns how many entries of the earlier segment this record voids, or says to be removed;
   * ranges count as one.
   */
  public int goneCount() {
    return switch (type) {
      case ENQUEUE, DELIVERED, FORCED, RETURNED, QUEUE, BURST, HISTORY, APPLIED -> 0;
      case RELOCATE -> targets.size();
      case MOVE, SETTLE, FORGET, REMOVED -> 1;
    };
  }

  /**
   * Visits the entries that it voids. What was removed from a queue before is gone from the queue,
   * too: the mark that says that it was removed may come later, as compaction copies marks. And a
   * queue is forgotten with what was removed from it.
   */
  void forEachGone(GoneSink sink) {
    switch (type) {
      case RELOCATE -> {
        for (int i = 0; i < targets.size(); i++) {
          gone(targets.queueId(i), targets.sequence(i), targets.sequence(i), sink);
        }
      }
      case MOVE, SETTLE, FORGET -> gone(goneQueue, goneFrom, goneTo, sink);
      default -> {}
    }
  }

  /** Returns whether an entry of it replaces any earlier one of its number. */
  boolean replaces(int target) {
    return type == RecordType.RELOCATE
        || (type == RecordType.MOVE
            && goneFrom == targets.sequence(target)
            && goneQueue == StoreIds.ofRemoved(targets.queueId(target)));
  }

  private static void gone(long queueId, long from, long to, GoneSink sink) {
    sink.accept(queueId, from, to);
    if (StoreIds.isRemoved(queueId)) {
      sink.accept(StoreIds.queueOf(queueId), from, to);
    }
  }

  /** Receives ranges of entries that are gone. */
  @FunctionalInterface
  interface GoneSink {
    /** Entries of a queue, in the segment that the record names. */
    void accept(long queueId, long from, long to);
  }

  /** Returns its type's code in a record, or in an index. */
  public int code() {
    return inBurst ? type.code | RecordType.IN_BURST : type.code;
  }

  /** Sets its type by what {@link #code} returned. */
  public void setCode(int code) {
    type = RecordType.of(code);
    inBurst = RecordType.isInBurst(code);
  }
}
