package io.mayflymq.core.store.segment;

/** Walks through the entries of a segment's index; see {@link IndexBuilder}. */
final class IndexCursor {
  private final int segment;
  private final byte[] bytes;
  private final int size;
  private int at;
  private int offset = SegmentHeader.SPACE;
  private int gap;
  private long lastQueue;
  private long lastSequence;
  private long lastDeadline;
  private long lastTime;

  IndexCursor(int segment, byte[] bytes, int size) {
    this.segment = segment;
    this.bytes = bytes;
    this.size = size;
  }

  /**
   * Goes to the next record.
   *
   * @return whether there is one
   */
  boolean next(RecordHead head) {
    gap = 0;
    if (at == size) {
      return false;
    }
    int code = bytes[at++];
    if (code == IndexBuilder.GAP) {
      gap = (int) unsigned();
      offset += gap;
      code = bytes[at++];
    }
    head.type = RecordType.of(code);
    head.segment = segment;
    head.offset = offset;
    head.length = (int) unsigned();
    offset += head.length;
    if (head.type.hasContent) {
      lastTime += signed();
      head.enqueuedAt = lastTime;
      head.bodyLength = (int) unsigned();
      head.priority = bytes[at++] & 0xff;
      targets(head.targets);
    }
    switch (head.type) {
      case ENQUEUE -> {}
      case MOVE -> {
        head.goneQueue = queue();
        head.goneFrom = lastSequence + signed();
        head.goneTo = head.goneFrom;
        head.goneSegment = segment - (int) unsigned();
      }
      case RELOCATE -> head.goneSegment = segment - (int) unsigned();
      case SETTLE -> {
        head.goneQueue = queue();
        head.goneFrom = lastSequence + signed();
        head.goneTo = head.goneFrom + unsigned();
        head.goneSegment = segment - (int) unsigned();
        lastSequence = head.goneTo;
      }
      case FORGET -> {
        head.goneQueue = queue();
        head.goneFrom = 0;
        head.goneTo = Long.MAX_VALUE;
        head.goneSegment = segment - (int) unsigned();
      }
      case DELIVERED -> {
        head.deliveredQueue = queue();
        head.deliveredUpTo = lastSequence + signed();
      }
      case FORCED -> head.forcedTo = head.offset - (int) unsigned();
    }
    return true;
  }

  /** How many bytes before this record are none. */
  int gap() {
    return gap;
  }

  /** Where the records seen so far end in the segment. */
  int end() {
    return offset;
  }

  private void targets(RecordTargets targets) {
    targets.clear();
    int count = (int) unsigned();
    for (int i = 0; i < count; i++) {
      long queueId = queue();
      lastSequence += signed();
      lastDeadline += signed();
      targets.add(queueId, lastSequence, lastDeadline, bytes[at++]);
    }
  }

  private long queue() {
    lastQueue += signed();
    return lastQueue;
  }

  private long signed() {
    long value = unsigned();
    return (value >>> 1) ^ -(value & 1);
  }

  private long unsigned() {
    long value = 0;
    int shift = 0;
    byte next = bytes[at++];
    while (next < 0) {
      value |= (next & 0x7fL) << shift;
      shift += 7;
      next = bytes[at++];
    }
    return value | ((long) next << shift);
  }
}
