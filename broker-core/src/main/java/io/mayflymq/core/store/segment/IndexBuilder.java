package io.mayflymq.core.store.segment;

import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.store.BurstId;
import java.util.Arrays;
import java.util.UUID;

/**
 * The index of a segment: everything in its records except the contents, so that a start need not
 * read these. It grows in memory while the segment is written, and is written to a file of its own
 * when the segment ends. Most numbers of a record are close to those of the record before it, so
 * each is stored as the difference, in 7 bits a byte: about ten bytes a record. Of messages that
 * are alike and come within a millisecond all differences are the same, so entries that equal the
 * one before them are only counted.
 *
 * <p>An entry is: a byte with the type, 64 more if the publisher set the priority 0, or 0 for bytes
 * that are not a valid record; the length in bytes; and then the fields of the type. Or it is 15,
 * and how many more entries equal the one before.
 */
final class IndexBuilder {
  static final byte GAP = 0;

  /** In place of a type: how often the entry before it is repeated. */
  static final byte REPEATED = 15;

  /** The bit of the type that is set if the publisher of the message set the priority 0. */
  static final int PRIORITY_ZERO = 0x40;

  private final ByteWriter out;
  private final ByteWriter moved = new ByteWriter();
  private int lastEntry;
  private int repeats;
  private boolean anyRepeats;
  private int end;
  private int records;
  private long lastQueue;
  private long lastSequence;
  private long lastDeadline;
  private long lastTime;
  private long lastRemoval;

  /**
   * Begins an index.
   *
   * @param capacity an estimate of its size in bytes
   */
  public IndexBuilder(int capacity) {
    out = new ByteWriter(capacity);
    end = SegmentHeader.SPACE;
  }

  /** Adds a record; they come in the order of their offsets. */
  public void add(RecordHeader head) {
    int start = out.size();
    encode(head);
    if (isSame(lastEntry, start)) {
      out.truncate(start);
      repeats++;
    } else {
      if (repeats > 0) {
        moved.clear().append(out.bytes(), start, out.size());
        out.truncate(start);
        endRepeats();
        start = out.size();
        out.append(moved);
      }
      lastEntry = start;
    }
  }

  /** Whether the bytes from the second place on are the same as those between the two. */
  private boolean isSame(int first, int second) {
    byte[] bytes = out.bytes();
    return Arrays.equals(bytes, first, second, bytes, second, out.size());
  }

  private void endRepeats() {
    if (repeats > 0) {
      out.octet(REPEATED);
      out.number(repeats);
      repeats = 0;
      anyRepeats = true;
    }
  }

  private void encode(RecordHeader head) {
    if (head.offset != end) {
      out.octet(GAP);
      out.number(head.offset - end);
    }
    end = head.offset + head.length;
    records++;
    boolean isZero = head.type.hasContent && head.priority == 0;
    out.octet(isZero ? head.code() | PRIORITY_ZERO : head.code());
    out.number(head.length);
    if (head.type.hasContent) {
      out.signed(head.enqueuedAt - lastTime);
      lastTime = head.enqueuedAt;
      out.number(head.bodyLength);
      out.octet(Math.max(0, head.priority));
      targets(head.targets);
    }
    switch (head.type) {
      case ENQUEUE -> {}
      case MOVE -> {
        queue(head.goneQueue);
        out.signed(head.goneFrom - lastSequence);
        out.number(head.segment - head.goneSegment);
      }
      case RELOCATE -> out.number(head.segment - head.goneSegment);
      case SETTLE -> {
        queue(head.goneQueue);
        out.signed(head.goneFrom - lastSequence);
        out.number(head.goneTo - head.goneFrom);
        out.number(head.segment - head.goneSegment);
        lastSequence = head.goneTo;
      }
      case FORGET -> {
        queue(head.goneQueue);
        out.number(head.segment - head.goneSegment);
      }
      case REMOVED -> {
        queue(head.goneQueue);
        out.signed(head.goneFrom - lastSequence);
        out.number(head.goneTo - head.goneFrom);
        out.number(head.segment - head.goneSegment);
        out.signed(head.removal - lastRemoval);
        lastSequence = head.goneTo;
        lastRemoval = head.removal;
      }
      case DELIVERED -> {
        queue(head.deliveredQueue);
        out.signed(head.deliveredUpTo - lastSequence);
      }
      case FORCED -> out.number(head.offset - head.forcedTo);
      case RETURNED -> {
        queue(head.returnedQueue);
        out.bit(head.returnedAll);
        out.append(head.returnedNotes);
      }
      case QUEUE -> {
        queue(head.namedQueue);
        out.number(head.metadataSeen);
        out.append(head.queueName);
      }
      case BURST -> {
        out.number(head.burst.number());
        out.number(head.burst.epoch());
        out.number(head.burstRecords);
        out.number(head.committed);
        out.signed(head.leaderMillis);
      }
      case HISTORY -> history(head);
      case APPLIED -> {
        UUID link = head.appliedOrigin.link();
        out.number(head.appliedOrigin.node());
        out.number(link.getMostSignificantBits());
        out.number(link.getLeastSignificantBits());
        out.number(head.appliedNumber);
        out.number(head.unknownUpTo);
        out.append(head.appliedOutcome);
      }
    }
  }

  private void history(RecordHeader head) {
    out.number(head.burst.number());
    out.number(head.base);
    out.number(head.committed);
    out.bit(head.withinBurst);
    out.number(head.history.starts().size());
    for (BurstId epoch : head.history.starts()) {
      out.number(epoch.epoch());
      out.number(epoch.number());
    }
  }

  private void targets(RecordTargets targets) {
    out.number(targets.size());
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

  /** How many records it has. */
  public int records() {
    return records;
  }

  /** Ends the index of a segment of this length. The builder is not used any more. */
  public SegmentIndex build(SegmentHeader header, int segmentLength) {
    endRepeats();
    return new SegmentIndex(header, segmentLength, records, anyRepeats, out.bytes(), out.size());
  }

  public int size() {
    return out.size();
  }
}
