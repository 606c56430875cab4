package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.RedeliveryNotes;

/**
 * Receives the contents of a log when it is opened, in the order in which they were appended, to
 * rebuild its queues. It must {@code SegmentLog.release} each entry that it does not keep, at once
 * or later.
 */
public interface RecoveryVisitor {
  /**
   * Receives an entry of a queue. Numbers of a queue are not in order: compaction copies old
   * messages behind newer ones.
   *
   * @param queueId the queue; the owner may not know it any more
   * @param sequence the message's number in the queue
   * @param deadlineMillis when it expires, in ms since the epoch; {@link Long#MAX_VALUE} for never
   * @param flags the owner's eight bits, 0 to 255
   * @param enqueuedAtMillis when it was enqueued, in ms since the epoch
   * @param priority the message's priority, 0 to 255, or {@link
   *     io.mayflymq.core.message.Message#NO_PRIORITY}
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
   * Entries of a queue are gone: those in this range of numbers <em>and</em> with a location in
   * this segment. An entry of the same number in another segment is not affected.
   *
   * @param from the first number
   * @param to the last one
   * @param segment see {@link Location#segment}
   */
  void settled(long queueId, long from, long to, int segment);

  /**
   * An entry is about to come that replaces any earlier one of this number: a message that had left
   * its queue was brought back, or was copied since. The mark about the earlier one may come later.
   */
  void replaced(long queueId, long sequence);

  /**
   * Entries of a queue have been removed from it, and can be brought back: those in this range with
   * a location in this segment. They have the id of {@link
   * io.mayflymq.core.store.StoreIds#ofRemoved} from then on, and the stamp in place of a deadline.
   * They replace any earlier ones with that id.
   *
   * @param from the first number
   * @param to the last one
   * @param segment see {@link Location#segment}
   * @param stamp when and why, as {@link io.mayflymq.core.store.RemovalStamp} packs it
   */
  void removed(long queueId, long from, long to, int segment, long stamp);

  /**
   * Messages of a queue may have been delivered. Called several times with the same or other
   * numbers; the highest one counts.
   *
   * @param queueId the queue; the owner may not know it any more
   * @param upTo the highest number that may have been delivered
   */
  void delivered(long queueId, long upTo);

  /**
   * Messages of a queue have been returned.
   *
   * @param queueId the queue; the owner may not know it any more
   * @param notes which ones, packed by {@link RedeliveryNotes}
   * @param all whether earlier notes about the queue's returns are void
   */
  void returned(long queueId, byte[] notes, boolean all);

  /**
   * Batches of commands of a link have been applied: what {@link AppliedBatches#recovered} takes.
   * Only in the log of a replica.
   */
  void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome);
}
