package io.mayflymq.core.store.segment;

import java.util.Arrays;

/*
 * The index of a segment: what its records tell but for their contents, so that a start needs not read these. It grows in memory
 * while the segment is written, and goes into a file of its own when the segment ends. Most numbers of a record are near those of
 * the record before it, so each is written as the difference, in 7 bits a byte: ten bytes or so a record, a few megabytes a segment.
 *
 * An entry is: a byte with the type, or 0 for bytes that are no record; the length in bytes; and then what the type has.
 */
final class IndexBuilder {
  static final byte GAP = 0;
  private static final int MOST_PER_RECORD = 80;
  private static final int MOST_PER_TARGET = 31;

  private byte[] bytes;
  private int size;
  private int end;
  private int records;
  private long lastQueue;
  private long lastSequence;
  private long lastDeadline;
  private long lastTime;

  /**
   * Begins an index.
   *
   * @param capacity how many bytes it may come to; a guess
   */
  IndexBuilder(int capacity) {
    bytes = new byte[Math.max(capacity, 256)];
    end = SegmentHeader.SPACE;
  }

  /** Adds a record; they come in the order of their offsets. */
  void add(RecordHead head) {
    int room = MOST_PER_RECORD + (head.type.hasContent ? head.targets.size() * MOST_PER_TARGET : 0);
    if (bytes.length - size < room) {
      bytes = Arrays.copyOf(bytes, Math.max(size + room, (int) Math.min(size * 2L, 1 << 30)));
    }
    if (head.offset != end) {
      bytes[size++] = GAP;
      unsigned(head.offset - end);
    }
    end = head.offset + head.length;
    records++;
    bytes[size++] = head.type.code;
    unsigned(head.length);
    if (head.type.hasContent) {
      signed(head.enqueuedAt - lastTime);
      lastTime = head.enqueuedAt;
      unsigned(head.bodyLength);
      bytes[size++] = (byte) head.priority;
      targets(head.targets);
    }
    switch (head.type) {
      case ENQUEUE -> {}
      case MOVE -> {
        queue(head.goneQueue);
        signed(head.goneFrom - lastSequence);
        unsigned(head.segment - head.goneSegment);
      }
      case RELOCATE -> unsigned(head.segment - head.goneSegment);
      case SETTLE -> {
        queue(head.goneQueue);
        signed(head.goneFrom - lastSequence);
        unsigned(head.goneTo - head.goneFrom);
        unsigned(head.segment - head.goneSegment);
        lastSequence = head.goneTo;
      }
      case FORGET -> {
        queue(head.goneQueue);
        unsigned(head.segment - head.goneSegment);
      }
      case DELIVERED -> {
        queue(head.deliveredQueue);
        signed(head.deliveredUpTo - lastSequence);
      }
      case FORCED -> unsigned(head.offset - head.forcedTo);
    }
  }

  private void targets(RecordTargets targets) {
    unsigned(targets.size());
    for (int i = 0; i < targets.size(); i++) {
      queue(targets.queueId(i));
      signed(targets.sequence(i) - lastSequence);
      lastSequence = targets.sequence(i);
      signed(targets.deadlineMillis(i) - lastDeadline);
      lastDeadline = targets.deadlineMillis(i);
      bytes[size++] = (byte) targets.flags(i);
    }
  }

  private void queue(long queueId) {
    signed(queueId - lastQueue);
    lastQueue = queueId;
  }

  private void signed(long value) {
    unsigned((value << 1) ^ (value >> 63));
  }

  private void unsigned(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** How many records it has. */
  int records() {
    return records;
  }

  /** Ends the index of a segment of this length. The builder is not used any more. */
  SegmentIndex build(SegmentHeader header, int segmentLength) {
    return new SegmentIndex(header, segmentLength, records, bytes, size);
  }

  int size() {
    return size;
  }
}
