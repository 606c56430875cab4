package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.StoreIds;
import java.nio.ByteBuffer;

/**
 * Takes what a burst of a leader has changed into the log and the queues of a follower. Locations
 * are the follower's own: it finds those of entries that are gone in its queues.
 */
final class BurstTaker {
  private final SegmentLog log;
  private final LogAppender tail;
  private final ReplicaQueues queues;
  private final boolean ofCopy;
  private final RecordHeader head = new RecordHeader();
  private long goneLocation;
  private int goneBodyLength;

  /**
   * Creates it.
   *
   * @param ofCopy whether messages may be moved that are not there: see {@link SegmentLog#takeCopy}
   */
  BurstTaker(SegmentLog log, LogAppender tail, ReplicaQueues queues, boolean ofCopy) {
    this.log = log;
    this.tail = tail;
    this.queues = queues;
    this.ofCopy = ofCopy;
  }

  /**
   * Takes the records of a burst.
   *
   * @throws IllegalArgumentException if one of them is not as it was sent; then none is taken
   */
  void take(ByteBuffer content) {
    WireBurst.Reader check = new WireBurst.Reader(content);
    boolean more = true;
    while (more) {
      more = check.next(head);
    }
    WireBurst.Reader records = new WireBurst.Reader(content);
    while (records.next(head)) {
      switch (head.type) {
        case ENQUEUE -> enter(records.buffer());
        case MOVE -> move(records.buffer());
        case SETTLE ->
            queues.take(
                head.goneQueue,
                head.goneFrom,
                head.goneTo,
                (sequence, location, bodyLength) ->
                    log.settle(head.goneQueue, sequence, location, bodyLength));
        case REMOVED -> remove();
        case FORGET -> log.forget(head.goneQueue, this::takeAll);
        case DELIVERED -> {
          queues.delivered(head.deliveredQueue, head.deliveredUpTo);
          log.delivered(head.deliveredQueue, head.deliveredUpTo);
        }
        case RETURNED -> {
          queues.returned(head.returnedQueue, head.returnedNotes, head.returnedAll);
          log.returned(head.returnedQueue, head.returnedNotes, head.returnedAll);
        }
        case APPLIED -> {
          queues.applied(
              head.appliedOrigin, head.appliedNumber, head.unknownUpTo, head.appliedOutcome);
          log.applied(
              head.appliedOrigin, head.appliedNumber, head.unknownUpTo, head.appliedOutcome);
        }
        default -> throw new IllegalStateException("a record of type " + head.type);
      }
    }
  }

  private void remove() {
    queues.remove(
        head.goneQueue,
        head.goneFrom,
        head.goneTo,
        head.removal,
        (sequence, location, bodyLength) ->
            log.removed(head.goneQueue, sequence, location, head.removal));
  }

  private void takeAll(SegmentLog.EntrySink sink) {
    queues.take(
        head.goneQueue,
        0,
        Long.MAX_VALUE,
        (sequence, location, bodyLength) -> sink.accept(location, bodyLength));
  }

  private void move(ByteBuffer source) {
    goneLocation = 0;
    queues.take(
        head.goneQueue,
        head.goneFrom,
        head.goneTo,
        (sequence, location, bodyLength) -> {
          goneLocation = location;
          goneBodyLength = bodyLength;
        });
    if (goneLocation == 0 && !ofCopy) {
      throw new IllegalStateException(
          "message %d of queue %d is to be moved, and is not there"
              .formatted(head.goneFrom, head.goneQueue));
    }
    if (goneLocation != 0 && StoreIds.isRemoved(head.goneQueue)) {
      log.beforeReturn(goneLocation);
    }
    head.goneSegment = Location.segment(goneLocation);
    enter(source);
    if (goneLocation != 0) {
      log.release(goneLocation, goneBodyLength);
    }
  }

  private void enter(ByteBuffer source) {
    int from = head.offset;
    head.inBurst = true;
    tail.begin(head, head.length);
    RecordEncoder.copy(tail.buffer(), tail.start(), head, source, from);
    long location = tail.end(head);
    RecordTargets targets = head.targets;
    for (int i = 0; i < targets.size(); i++) {
      if (head.replaces(i)) {
        queues.replaced(targets.queueId(i), targets.sequence(i));
      }
      queues.enqueued(
          targets.queueId(i),
          targets.sequence(i),
          targets.deadlineMillis(i),
          targets.flags(i),
          head.enqueuedAt,
          head.priority,
          head.bodyLength,
          location);
    }
  }
}
