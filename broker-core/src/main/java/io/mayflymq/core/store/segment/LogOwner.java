package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.StoreIds;

/** The owner of the queues whose messages a log holds, as the log sees it. */
public interface LogOwner {
  /** Whether the queue still has this message at this location. */
  boolean isLive(long queueId, long sequence, long location);

  /**
   * Returns the stamp of a message that was removed from the queue and can be brought back, and is
   * at this location; {@link #NOT_REMOVED} if there is none.
   */
  default long removalOf(long queueId, long sequence, long location) {
    return NOT_REMOVED;
  }

  /** What {@link #removalOf} returns for other messages. */
  long NOT_REMOVED = -1;

  /** Adds those entries of a record that are needed, under the ids that they have now. */
  default void addLive(RecordTargets all, long location, RecordTargets live) {
    for (int i = 0; i < all.size(); i++) {
      long queueId = all.queueId(i);
      long sequence = all.sequence(i);
      if (isLive(queueId, sequence, location)) {
        live.add(queueId, sequence, all.deadlineMillis(i), all.flags(i));
      } else if (!StoreIds.isBeside(queueId)) {
        long removal = removalOf(queueId, sequence, location);
        if (removal != NOT_REMOVED) {
          live.add(StoreIds.ofRemoved(queueId), sequence, removal, all.flags(i));
        }
      }
    }
  }

  /**
   * Called when a message has been copied; it has to be read and settled at its new location now.
   */
  void moved(long queueId, long sequence, long from, long to);

  /**
   * Returns the note about a queue of which a message is about to be written. Called before the
   * first message in each segment, and perhaps again; the log must not be used meanwhile.
   *
   * @param segment the number of the segment, which contains the note from now on
   * @return null if this segment contains it already, or the name is not known
   */
  QueueNote noteOf(long queueId, int segment);

  /**
   * Visits each queue of which messages may have been delivered, with the highest number that may
   * have been. Called when a segment begins, which may be during an append and at the end of
   * recovery; the log must not be used meanwhile.
   */
  void forEachDelivered(DeliveredSink sink);

  /** Receives what may have been delivered. */
  @FunctionalInterface
  interface DeliveredSink {
    /** Receives one queue; see {@link SegmentLog#delivered}. */
    void accept(long queueId, long upTo);
  }

  /**
   * Visits each queue of which messages have been returned, with all notes that must be kept.
   * Called when a segment begins, after {@link #forEachDelivered}, and under the same rule.
   *
   * @param mostBytes how many bytes all notes may take; what exceeds this is lost after a crash
   */
  void forEachReturned(int mostBytes, ReturnedSink sink);

  /** Receives notes of returns. */
  @FunctionalInterface
  interface ReturnedSink {
    /** Receives one queue; see {@link SegmentLog#returned}. */
    void accept(long queueId, byte[] notes);
  }

  /**
   * Visits the batches of commands that have been applied, as {@link AppliedBatches#forEach} does.
   * Called when a segment of a replicated log begins, under the same rule.
   */
  void forEachApplied(AppliedBatches.Sink sink);
}
