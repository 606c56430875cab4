package io.mayflymq.core.store.segment.recovery;

import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.segment.record.Location;

/**
 * Hears what a log holds when it is opened, in the order in which it was appended, and rebuilds its
 * queues from it. Whatever it does not keep, at once or later, it must {@link SegmentLog#release}.
 */
public interface RecoveryVisitor {
  /**
   * An entry of a queue. Numbers of a queue do not come in order: compaction copies old messages
   * behind newer ones.
   *
   * @param queueId the queue; the owner may not know it any more
   * @param sequence the message's number in the queue
   * @param deadlineMillis when it expires, in ms since the epoch; {@link Long#MAX_VALUE} for never
   * @param flags the eight bits that the owner gave, 0 to 255
   * @param enqueuedAtMillis when it was enqueued, in ms since the epoch
   * @param priority the message's priority, 0 to 255
   * @param bodyLength the length of its body in bytes
   * @param location where it can be read
   */
  void enqueued(
      long queueId,
      long sequence,
      long deadlineMillis,
      int flags,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location);

  /**
   * Entries of a queue are gone: those that the visitor has of this range <em>and</em> whose
   * location is in this segment. The same number in another segment is not meant.
   *
   * @param from the first number
   * @param to the last one
   * @param segment see {@link Location#segment}
   */
  void settled(long queueId, long from, long to, int segment);

  /**
   * Messages of a queue may have been delivered. The same is heard several times, and what counts
   * is the highest number.
   *
   * @param queueId the queue; the owner may not know it any more
   * @param upTo the highest number that may have been delivered
   */
  void delivered(long queueId, long upTo);

  /**
   * Messages of a queue have come back.
   *
   * @param queueId the queue; the owner may not know it any more
   * @param notes which ones, packed by {@link RedeliveryNotes}
   * @param all whether what was heard before of the queue's returns is void
   */
  void returned(long queueId, byte[] notes, boolean all);
}
