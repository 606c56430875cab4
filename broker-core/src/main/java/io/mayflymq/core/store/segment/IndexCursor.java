package io.mayflymq.core.store.segment;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Iterates over the entries of a segment's index; see {@link IndexBuilder}. */
final class IndexCursor {
  private final int segment;
  private final ByteReader in;
  private int offset = SegmentHeader.SPACE;
  private int gap;

  /** Where the last entry begins, how often it is still repeated, and where the next one begins. */
  private int entry;

  private int repeats;
  private int following;
  private long lastQueue;
  private long lastSequence;
  private long lastDeadline;
  private long lastTime;
  private long lastRemoval;

  IndexCursor(int segment, byte[] bytes, int size) {
    this.segment = segment;
    this.in = new ByteReader(bytes, size);
  }

  /**
   * Goes to the next record.
   *
   * @return whether there is one
   */
  public boolean next(RecordHeader head) {
    if (repeats == 0) {
      if (in.remaining() == 0) {
        gap = 0;
        return false;
      }
      int start = in.position();
      int code = in.octet();
      if (code != IndexBuilder.REPEATED) {
        entry = start;
        decode(code, head);
        return true;
      }
      repeats = (int) in.number();
      following = in.position();
    }
    in.seek(entry);
    decode(in.octet(), head);
    if (--repeats == 0) {
      in.seek(following);
    }
    return true;
  }

  private void decode(int first, RecordHeader head) {
    gap = 0;
    int code = first;
    if (code == IndexBuilder.GAP) {
      gap = (int) in.number();
      offset += gap;
      code = in.octet();
    }
    boolean priorityZero = (code & IndexBuilder.PRIORITY_ZERO) != 0;
    head.setCode(code & ~IndexBuilder.PRIORITY_ZERO);
    head.segment = segment;
    head.offset = offset;
    head.length = (int) in.number();
    offset += head.length;
    if (head.type.hasContent) {
      lastTime += in.signed();
      head.enqueuedAt = lastTime;
      head.bodyLength = (int) in.number();
      int priority = in.octet();
      head.priority = priority > 0 || priorityZero ? priority : Message.NO_PRIORITY;
      targets(head.targets);
    }
    switch (head.type) {
      case ENQUEUE -> {}
      case MOVE -> {
        head.goneQueue = queue();
        head.goneFrom = lastSequence + in.signed();
        head.goneTo = head.goneFrom;
        head.goneSegment = segment - (int) in.number();
      }
      case RELOCATE -> head.goneSegment = segment - (int) in.number();
      case SETTLE -> {
        head.goneQueue = queue();
        head.goneFrom = lastSequence + in.signed();
        head.goneTo = head.goneFrom + in.number();
        head.goneSegment = segment - (int) in.number();
        lastSequence = head.goneTo;
      }
      case FORGET -> {
        head.goneQueue = queue();
        head.goneFrom = 0;
        head.goneTo = Long.MAX_VALUE;
        head.goneSegment = segment - (int) in.number();
      }
      case REMOVED -> {
        head.goneQueue = queue();
        head.goneFrom = lastSequence + in.signed();
        head.goneTo = head.goneFrom + in.number();
        head.goneSegment = segment - (int) in.number();
        lastRemoval += in.signed();
        head.removal = lastRemoval;
        lastSequence = head.goneTo;
      }
      case DELIVERED -> {
        head.deliveredQueue = queue();
        head.deliveredUpTo = lastSequence + in.signed();
      }
      case FORCED -> head.forcedTo = head.offset - (int) in.number();
      case RETURNED -> {
        head.returnedQueue = queue();
        head.returnedAll = in.bit();
        head.returnedNotes = in.octets(head.length - RecordFormat.RETURNED_FIXED);
      }
      case QUEUE -> {
        head.namedQueue = queue();
        head.metadataSeen = in.number();
        head.queueName = in.octets(head.length - RecordFormat.QUEUE_FIXED);
      }
      case BURST -> {
        long number = in.number();
        head.burst = new BurstId(in.number(), number);
        head.burstRecords = (int) in.number();
        head.committed = in.number();
        head.leaderMillis = in.signed();
      }
      case HISTORY -> history(head);
      case APPLIED -> {
        int node = (int) in.number();
        head.appliedOrigin = new BatchOrigin(node, new UUID(in.number(), in.number()));
        head.appliedNumber = in.number();
        head.unknownUpTo = in.number();
        head.appliedOutcome = in.octets(head.length - RecordFormat.APPLIED_FIXED);
      }
    }
  }

  /** Returns how many bytes before this record are not valid records. */
  public int gap() {
    return gap;
  }

  /** Returns where the records seen so far end in the segment. */
  public int end() {
    return offset;
  }

  private void history(RecordHeader head) {
    long last = in.number();
    head.base = in.number();
    head.committed = in.number();
    head.withinBurst = in.bit();
    List<BurstId> epochs = new ArrayList<>();
    for (int count = (int) in.number(); count > 0; count--) {
      epochs.add(new BurstId(in.number(), in.number()));
    }
    head.history = new EpochHistory(epochs);
    head.burst = head.history.last(last);
  }

  private void targets(RecordTargets targets) {
    targets.clear();
    int count = (int) in.number();
    for (int i = 0; i < count; i++) {
      long queueId = queue();
      lastSequence += in.signed();
      lastDeadline += in.signed();
      targets.add(queueId, lastSequence, lastDeadline, in.octet());
    }
  }

  private long queue() {
    lastQueue += in.signed();
    return lastQueue;
  }
}
