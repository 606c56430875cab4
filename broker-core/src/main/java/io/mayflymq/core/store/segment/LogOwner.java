package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.segment.record.QueueNote;

/** The owner of the queues whose messages a log holds, as the log asks and tells it. */
public interface LogOwner {
  /** Whether the queue still has this message, and has it at this location. */
  boolean isLive(long queueId, long sequence, long location);

  /** A message of a queue has been copied; it is to be read and settled at its new location now. */
  void moved(long queueId, long sequence, long from, long to);

  /**
   * What a queue is called of which a message is about to be written. Asked before the first one in
   * each segment, and perhaps again; the log must not be used meanwhile.
   *
   * @param segment the number of the segment, which tells it from here on
   * @return null if this segment tells it already, or nobody knows it
   */
  QueueNote noteOf(long queueId, int segment);

  /**
   * Names each queue of which messages may have been delivered, and the highest number that may
   * have been. Asked when a segment begins, which may be while something is appended and at the end
   * of recovery; the log must not be used meanwhile.
   */
  void forEachDelivered(DeliveredSink sink);

  /** Takes what may have been delivered. */
  @FunctionalInterface
  interface DeliveredSink {
    /** Takes a queue; see {@link SegmentLog#delivered}. */
    void accept(long queueId, long upTo);
  }

  /**
   * Names each queue of which messages have come back, with all that is to be remembered of that.
   * Asked when a segment begins, after {@link #forEachDelivered}, and under the same rule.
   *
   * @param mostBytes how much may be told in all; what is over is forgotten by a crash
   */
  void forEachReturned(int mostBytes, ReturnedSink sink);

  /** Takes what has come back. */
  @FunctionalInterface
  interface ReturnedSink {
    /** Takes a queue; see {@link SegmentLog#returned}. */
    void accept(long queueId, byte[] notes);
  }
}
