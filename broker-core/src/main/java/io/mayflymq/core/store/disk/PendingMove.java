package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.RecordTargets;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * The move of a partition that is not written yet, with the entries that have no location until
 * then: one that leaves its queue or dies meanwhile is found here. Reused for each move.
 */
final class PendingMove implements Move {
  private final SegmentLog log;
  private final QueueList queues;
  private final UnsettledEntries unsettled;
  private final LongUnaryOperator storedTime;
  private final RecordTargets targets = new RecordTargets();
  private final List<UnsettledEntry> dead = new ArrayList<>();
  private UnsettledEntry source;
  private Message message;

  /**
   * Creates it.
   *
   * @param storedTime returns what a time of the partition is after a restart
   */
  PendingMove(
      SegmentLog log, QueueList queues, UnsettledEntries unsettled, LongUnaryOperator storedTime) {
    this.log = log;
    this.queues = queues;
    this.unsettled = unsettled;
    this.storedTime = storedTime;
  }

  /** Begins with the entry that the message leaves, and the message as it enters other queues. */
  void begin(UnsettledEntry left, Message entering) {
    unsettled.arrived(left);
    source = left;
    message = entering;
  }

  boolean isBegun() {
    return source != null;
  }

  /** Returns the content of every entry that has no location yet. */
  Message message() {
    return message;
  }

  @Override
  public void add(long queueId, long sequence, long deadlineMillis) {
    targets.add(queueId, sequence, deadlineMillis, 0);
  }

  /** Called when an added message has left its queue again. */
  void remove(long queueId, long sequence) {
    for (int i = targets.size() - 1; i >= 0; i--) {
      if (targets.queueId(i) == queueId && targets.sequence(i) == sequence) {
        targets.remove(i);
      }
    }
  }

  /** Called when an added message has died again. */
  void addDead(UnsettledEntry entry) {
    dead.add(entry);
  }

  @Override
  public void write(long nowMillis, boolean keepSource) {
    boolean written = false;
    try {
      append(storedTime.applyAsLong(nowMillis), keepSource);
      written = true;
    } finally {
      if (!written) {
        withdraw();
      }
      if (!written || keepSource) {
        unsettled.await(source);
      }
      end();
    }
  }

  private void append(long nowMillis, boolean keepSource) {
    if (targets.size() == 0) {
      if (!keepSource) {
        log.settle(source.queueId(), source.sequence(), source.location(), source.bodyLength());
      }
      return;
    }
    long location =
        keepSource
            ? log.enqueue(targets, nowMillis, message)
            : log.move(
                source.queueId(),
                source.sequence(),
                source.location(),
                source.bodyLength(),
                targets,
                nowMillis,
                message);
    for (int i = 0; i < targets.size(); i++) {
      place(targets.queueId(i), targets.sequence(i), location);
    }
  }

  private void place(long queueId, long sequence, long location) {
    for (UnsettledEntry entry : dead) {
      if (entry.queueId() == queueId && entry.sequence() == sequence) {
        entry.moveTo(location);
        return;
      }
    }
    queues.get(queueId).queue().moved(sequence, location);
  }

  /**
   * Removes the unwritten entries from their queues: otherwise they would be read at the location
   * of the next record.
   */
  private void withdraw() {
    for (int i = targets.size() - 1; i >= 0; i--) {
      queues.get(targets.queueId(i)).queue().discard(targets.sequence(i));
    }
  }

  private void end() {
    source = null;
    message = null;
    targets.clear();
    dead.clear();
  }
}
