package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees disk space: copies what is still needed of the segment with the least needed data to the
 * end of the log, and has the segment deleted. It uses the index, so only what is copied is read.
 * It works in slices, between which the log is used as always.
 *
 * <p>It copies the entries that the owner says are live, and the marks about segments that still
 * exist. A copy of an entry is itself a mark about its original (see {@code RecordType.RELOCATE}),
 * so a crash at any time is harmless: the copy is valid if it exists.
 */
final class Compactor {
  private static final Logger LOGGER = LoggerFactory.getLogger(Compactor.class);
  private static final int COST_OF_LOOKING = 16;

  private final LogDirectory directory;
  private final SegmentTable table;
  private final LogAppender tail;
  private final RecordReader reader;
  private final LogOwner owner;
  private final RecordHeader source = new RecordHeader();
  private final RecordHeader copy = new RecordHeader();
  private Segment victim;
  private IndexCursor cursor;
  private long compactedSegments;
  private long copiedBytes;

  Compactor(
      LogDirectory directory,
      SegmentTable table,
      LogAppender tail,
      RecordReader reader,
      LogOwner owner) {
    this.directory = directory;
    this.table = table;
    this.tail = tail;
    this.reader = reader;
    this.owner = owner;
  }

  /**
   * Does one slice of the work, if there is any.
   *
   * @param budget about how many bytes to copy at most
   * @param rests whether no further segment is to be compacted now
   * @return whether there is more to do
   */
  boolean step(int budget, BooleanSupplier rests) {
    if (victim != null && victim.state == Segment.State.CONDEMNED) {
      // its last entry has been settled meanwhile
      victim = null;
    }
    if (victim == null && !choose(rests)) {
      return false;
    }
    try {
      int rest = budget;
      while (rest > 0) {
        if (!cursor.next(source)) {
          finish();
          return true;
        }
        int copied = carry();
        copiedBytes += copied;
        rest -= COST_OF_LOOKING + copied;
      }
    } catch (RuntimeException e) {
      giveUp(e);
    }
    return true;
  }

  /** Returns how many segments it has compacted. */
  long compactedSegments() {
    return compactedSegments;
  }

  /** Returns how many bytes it has copied. */
  long copiedBytes() {
    return copiedBytes;
  }

  private boolean choose(BooleanSupplier rests) {
    victim = table.victim();
    if (victim == null || rests.getAsBoolean()) {
      victim = null;
      return false;
    }
    try {
      cursor = SegmentIndexes.of(directory, victim).cursor();
    } catch (IOException e) {
      giveUp(e);
      return false;
    }
    return true;
  }

  /** Copies what is needed of a record; returns how many bytes that were. */
  private int carry() {
    boolean marked = source.goneCount() > 0 && exists(source.goneSegment);
    int copied = 0;
    if (marked) {
      copied += carryMarks();
    }
    if (source.type.hasContent) {
      copy.targets.clear();
      long location = source.location();
      owner.addLive(source.targets, location, copy.targets);
      if (copy.targets.size() > 0) {
        copied += relocate(location);
      }
    }
    return copied;
  }

  private boolean exists(int number) {
    return number != victim.number && table.find(number) != null;
  }

  private int carryMarks() {
    if (source.type != RecordType.RELOCATE) {
      return mark(source.goneQueue, source.goneFrom, source.goneTo);
    }
    int copied = 0;
    for (int i = 0; i < source.targets.size(); i++) {
      long sequence = source.targets.sequence(i);
      copied += mark(source.targets.queueId(i), sequence, sequence);
    }
    return copied;
  }

  private int mark(long queueId, long from, long to) {
    copy.type =
        switch (source.type) {
          case FORGET, REMOVED -> source.type;
          default -> RecordType.SETTLE;
        };
    copy.goneQueue = queueId;
    copy.goneFrom = from;
    copy.goneTo = to;
    copy.goneSegment = source.goneSegment;
    copy.removal = source.removal;
    tail.begin(copy, RecordFormat.leastLength(copy.type));
    RecordEncoder.gone(tail.buffer(), tail.start(), copy);
    tail.end(copy);
    return copy.length;
  }

  private int relocate(long from) {
    int tailStart = RecordDecoder.tail(source.type, source.targets.size());
    int tailLength = source.length - tailStart;
    copy.type = RecordType.RELOCATE;
    copy.enqueuedAt = source.enqueuedAt;
    copy.bodyLength = source.bodyLength;
    copy.priority = source.priority;
    copy.goneSegment = victim.number;
    tail.begin(
        copy, (long) RecordDecoder.tail(RecordType.RELOCATE, copy.targets.size()) + tailLength);
    // Only now, because making room may reuse the buffer that contains the record.
    reader.find(tail, from);
    RecordEncoder.relocation(
        tail.buffer(), tail.start(), copy, reader.buffer(), reader.start(), tailStart, tailLength);
    long to = tail.end(copy);
    for (int i = 0; i < copy.targets.size(); i++) {
      victim.released(copy.bodyLength);
      owner.moved(copy.targets.queueId(i), copy.targets.sequence(i), from, to);
    }
    return copy.length;
  }

  private void finish() {
    if (victim.liveEntries() > 0) {
      LOGGER.error(
          "{} in {} should have {} more messages than its queues know of",
          victim,
          directory,
          victim.liveEntries());
    }
    victim.neededUntil = Math.max(victim.neededUntil, tail.endLocation());
    table.compacted(victim);
    compactedSegments++;
    victim = null;
    cursor = null;
  }

  private void giveUp(Exception cause) {
    LOGGER.error("{} in {} cannot be compacted: {}", victim, directory, cause.toString());
    victim.pinned = true;
    victim = null;
    cursor = null;
  }
}
