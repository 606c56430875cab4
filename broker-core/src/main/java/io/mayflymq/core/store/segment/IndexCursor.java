package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.BatchId;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.core.store.VarintReader;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Iterates over the entries of a segment's index; see {@link IndexBuilder}. */
final class IndexCursor {
  private final int segment;
  private final VarintReader in;
  private int offset = SegmentHeader.SPACE;
  private int gap;
  private long lastQueue;
  private long lastSequence;
  private long lastDeadline;
  private long lastTime;

  IndexCursor(int segment, byte[] bytes, int size) {
    this.segment = segment;
    this.in = new VarintReader(bytes, size);
  }

  /**
   * Goes to the next record.
   *
   * @return whether there is one
   */
  public boolean next(RecordHeader head) {
    gap = 0;
    if (!in.hasNext()) {
      return false;
    }
    int code = in.octet();
    if (code == IndexBuilder.GAP) {
      gap = (int) in.unsigned();
      offset += gap;
      code = in.octet();
    }
    boolean priorityZero = (code & IndexBuilder.PRIORITY_ZERO) != 0;
    head.setCode(code & ~IndexBuilder.PRIORITY_ZERO);
    head.segment = segment;
    head.offset = offset;
    head.length = (int) in.unsigned();
    offset += head.length;
    if (head.type.hasContent) {
      lastTime += in.signed();
      head.enqueuedAt = lastTime;
      head.bodyLength = (int) in.unsigned();
      int priority = in.octet() & 0xff;
      head.priority = priority > 0 || priorityZero ? priority : Message.NO_PRIORITY;
      targets(head.targets);
    }
    switch (head.type) {
      case ENQUEUE -> {}
      case MOVE -> {
        head.goneQueue = queue();
        head.goneFrom = lastSequence + in.signed();
        head.goneTo = head.goneFrom;
        head.goneSegment = segment - (int) in.unsigned();
      }
      case RELOCATE -> head.goneSegment = segment - (int) in.unsigned();
      case SETTLE -> {
        head.goneQueue = queue();
        head.goneFrom = lastSequence + in.signed();
        head.goneTo = head.goneFrom + in.unsigned();
        head.goneSegment = segment - (int) in.unsigned();
        lastSequence = head.goneTo;
      }
      case FORGET -> {
        head.goneQueue = queue();
        head.goneFrom = 0;
        head.goneTo = Long.MAX_VALUE;
        head.goneSegment = segment - (int) in.unsigned();
      }
      case DELIVERED -> {
        head.deliveredQueue = queue();
        head.deliveredUpTo = lastSequence + in.signed();
      }
      case FORCED -> head.forcedTo = head.offset - (int) in.unsigned();
      case RETURNED -> {
        head.returnedQueue = queue();
        head.returnedAll = in.octet() != 0;
        head.returnedNotes = in.octets(head.length - RecordFormat.RETURNED_FIXED);
      }
      case QUEUE -> {
        head.namedQueue = queue();
        head.metadataSeen = in.unsigned();
        head.queueName = in.octets(head.length - RecordFormat.QUEUE_FIXED);
      }
      case BURST -> {
        long number = in.unsigned();
        head.batch = new BatchId(in.unsigned(), number);
        head.burstRecords = (int) in.unsigned();
        head.committed = in.unsigned();
        head.leaderMillis = in.signed();
      }
      case HISTORY -> history(head);
      case APPLIED -> {
        int node = (int) in.unsigned();
        head.appliedOrigin = new BatchOrigin(node, new UUID(in.unsigned(), in.unsigned()));
        head.appliedNumber = in.unsigned();
        head.unknownUpTo = in.unsigned();
        head.appliedOutcome = in.octets(head.length - RecordFormat.APPLIED_FIXED);
      }
    }
    return true;
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
    long last = in.unsigned();
    head.base = in.unsigned();
    head.committed = in.unsigned();
    head.withinBurst = in.octet() != 0;
    List<BatchId> epochs = new ArrayList<>();
    for (int count = (int) in.unsigned(); count > 0; count--) {
      epochs.add(new BatchId(in.unsigned(), in.unsigned()));
    }
    head.history = new EpochHistory(epochs);
    head.batch = head.history.last(last);
  }

  private void targets(RecordTargets targets) {
    targets.clear();
    int count = (int) in.unsigned();
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
