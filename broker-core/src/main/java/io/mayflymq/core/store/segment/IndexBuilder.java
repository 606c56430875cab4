package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.BatchId;
import io.mayflymq.core.store.VarintWriter;
import java.util.UUID;

/**
 * The index of a segment: everything in its records except the contents, so that a start need not
 * read these. It grows in memory while the segment is written, and is written to a file of its own
 * when the segment ends. Most numbers of a record are close to those of the record before it, so
 * each is stored as the difference, in 7 bits a byte: about ten bytes a record, a few megabytes a
 * segment.
 *
 * <p>An entry is: a byte with the type, 64 more if the publisher set the priority 0, or 0 for bytes
 * that are not a valid record; the length in bytes; and then the fields of the type.
 */
final class IndexBuilder {
  static final byte GAP = 0;

  /** The bit of the type that is set if the publisher of the message set the priority 0. */
  static final int PRIORITY_ZERO = 0x40;

  private static final int MOST_PER_RECORD = 80;
  private static final int MOST_PER_TARGET = 31;

  private final VarintWriter out;
  private int end;
  private int records;
  private long lastQueue;
  private long lastSequence;
  private long lastDeadline;
  private long lastTime;

  /**
   * Begins an index.
   *
   * @param capacity an estimate of its size in bytes
   */
  public IndexBuilder(int capacity) {
    out = new VarintWriter(capacity);
    end = SegmentHeader.SPACE;
  }

  /** Adds a record; they come in the order of their offsets. */
  public void add(RecordHeader head) {
    out.reserve(MOST_PER_RECORD + extra(head));
    if (head.offset != end) {
      out.octet(GAP);
      out.unsigned(head.offset - end);
    }
    end = head.offset + head.length;
    records++;
    boolean isZero = head.type.hasContent && head.priority == 0;
    out.octet(isZero ? head.code() | PRIORITY_ZERO : head.code());
    out.unsigned(head.length);
    if (head.type.hasContent) {
      out.signed(head.enqueuedAt - lastTime);
      lastTime = head.enqueuedAt;
      out.unsigned(head.bodyLength);
      out.octet(Math.max(0, head.priority));
      targets(head.targets);
    }
    switch (head.type) {
      case ENQUEUE -> {}
      case MOVE -> {
        queue(head.goneQueue);
        out.signed(head.goneFrom - lastSequence);
        out.unsigned(head.segment - head.goneSegment);
      }
      case RELOCATE -> out.unsigned(head.segment - head.goneSegment);
      case SETTLE -> {
        queue(head.goneQueue);
        out.signed(head.goneFrom - lastSequence);
        out.unsigned(head.goneTo - head.goneFrom);
        out.unsigned(head.segment - head.goneSegment);
        lastSequence = head.goneTo;
      }
      case FORGET -> {
        queue(head.goneQueue);
        out.unsigned(head.segment - head.goneSegment);
      }
      case DELIVERED -> {
        queue(head.deliveredQueue);
        out.signed(head.deliveredUpTo - lastSequence);
      }
      case FORCED -> out.unsigned(head.offset - head.forcedTo);
      case RETURNED -> {
        queue(head.returnedQueue);
        out.octet(head.returnedAll ? 1 : 0);
        out.octets(head.returnedNotes);
      }
      case QUEUE -> {
        queue(head.namedQueue);
        out.unsigned(head.metadataSeen);
        out.octets(head.queueName);
      }
      case BURST -> {
        out.unsigned(head.batch.number());
        out.unsigned(head.batch.epoch());
        out.unsigned(head.burstRecords);
        out.unsigned(head.committed);
        out.signed(head.leaderMillis);
      }
      case HISTORY -> history(head);
      case APPLIED -> {
        UUID link = head.appliedOrigin.link();
        out.unsigned(head.appliedOrigin.node());
        out.unsigned(link.getMostSignificantBits());
        out.unsigned(link.getLeastSignificantBits());
        out.unsigned(head.appliedNumber);
        out.unsigned(head.unknownUpTo);
        out.octets(head.appliedOutcome);
      }
    }
  }

  private void history(RecordHeader head) {
    out.unsigned(head.batch.number());
    out.unsigned(head.base);
    out.unsigned(head.committed);
    out.octet(head.withinBurst ? 1 : 0);
    out.unsigned(head.history.starts().size());
    for (BatchId epoch : head.history.starts()) {
      out.unsigned(epoch.epoch());
      out.unsigned(epoch.number());
    }
  }

  private void targets(RecordTargets targets) {
    out.unsigned(targets.size());
    for (int i = 0; i < targets.size(); i++) {
      queue(targets.queueId(i));
      out.signed(targets.sequence(i) - lastSequence);
      lastSequence = targets.sequence(i);
      out.signed(targets.deadlineMillis(i) - lastDeadline);
      lastDeadline = targets.deadlineMillis(i);
      out.octet(targets.flags(i));
    }
  }

  private void queue(long queueId) {
    out.signed(queueId - lastQueue);
    lastQueue = queueId;
  }

  /**
   * Returns the largest size of a record's entry in addition to {@link #MOST_PER_RECORD}, in bytes.
   */
  private static int extra(RecordHeader head) {
    if (head.type == RecordType.RETURNED) {
      return head.returnedNotes.length;
    }
    if (head.type == RecordType.QUEUE) {
      return head.queueName.length;
    }
    if (head.type == RecordType.HISTORY) {
      return head.history.starts().size() * MOST_PER_TARGET;
    }
    if (head.type == RecordType.APPLIED) {
      return head.appliedOutcome.length;
    }
    return head.type.hasContent ? head.targets.size() * MOST_PER_TARGET : 0;
  }

  /** How many records it has. */
  public int records() {
    return records;
  }

  /** Ends the index of a segment of this length. The builder is not used any more. */
  public SegmentIndex build(SegmentHeader header, int segmentLength) {
    return new SegmentIndex(header, segmentLength, records, out.bytes(), out.size());
  }

  public int size() {
    return out.size();
  }
}
