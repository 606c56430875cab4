package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of all that a log has. Belongs to the shard's thread; used between bursts only.
 *
 * <p>Copies all that a log has, for a replica that is too far behind. The log is in use meanwhile.
 *
 * <p>The messages that the log has at the beginning are in segments that are complete then. They
 * are read in the order in which they are stored, and those are copied that are still live when
 * their turn comes. What happens meanwhile is sent as well, as bursts, in its place between the
 * slices. So an entry that the log has after the last of these bursts was copied, or is in a burst;
 * one that it does not have was left out, or is gone by a burst. The log is not compacted
 * meanwhile: an entry stays where it is.
 */
public final class LogCopy {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogCopy.class);

  /** How many bytes a record costs that is not copied. */
  private static final int COST_OF_LOOKING = 16;

  /** How many bytes the notes about returns may take. */
  private static final int MOST_NOTES = 16 << 20;

  private final LogDirectory directory;
  private final SegmentTable table;
  private final LogAppender tail;
  private final RecordReader reader;
  private final LogOwner owner;
  private final ArrayDeque<Integer> segments = new ArrayDeque<>();
  private final RecordHeader source = new RecordHeader();
  private final RecordHeader copy = new RecordHeader();
  private final WireBurst.Writer out = new WireBurst.Writer();
  private IndexCursor cursor;
  private boolean isComplete;
  private boolean isWaiting;

  /** Begins a copy. */
  LogCopy(
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
    tail.seal();
    table.all().forEach(segment -> segments.add(segment.number));
  }

  /** Whether {@link #next} has returned all. */
  public boolean isComplete() {
    return isComplete;
  }

  /** Whether {@link #next} has to wait until more of the log is written. */
  public boolean isWaiting() {
    return isWaiting;
  }

  /**
   * Returns the next part, to be taken by {@link SegmentLog#takeCopy}. It may have no messages.
   *
   * @param budget about how many bytes
   * @param leaderMillis the time, in ms since the epoch
   * @throws IOException if the log cannot be read
   */
  public ByteBuffer next(int budget, long leaderMillis) throws IOException {
    out.begin();
    isWaiting = false;
    int rest = budget;
    while (rest > 0 && (cursor != null || choose())) {
      if (cursor.next(source)) {
        rest -= COST_OF_LOOKING + copy();
      } else {
        cursor = null;
        segments.remove();
      }
    }
    if (cursor == null && segments.isEmpty()) {
      addNotes();
      isComplete = true;
    }
    return out.end(leaderMillis);
  }

  /** Begins the next segment that exists, if it is written. */
  private boolean choose() throws IOException {
    while (!segments.isEmpty()) {
      Segment segment = table.find(segments.peek());
      if (segment != null && segment.state != Segment.State.CONDEMNED) {
        isWaiting = !segment.written;
        cursor = isWaiting ? null : SegmentIndexes.of(directory, segment).cursor();
        return !isWaiting;
      }
      segments.remove();
    }
    return false;
  }

  /** Copies a message, if it is live; returns how many bytes that were. */
  private int copy() {
    if (!source.type.hasContent) {
      return 0;
    }
    RecordTargets targets = source.targets;
    copy.targets.clear();
    owner.addLive(targets, source.location(), copy.targets);
    if (copy.targets.size() == 0) {
      return 0;
    }
    try {
      reader.find(tail, source.location());
    } catch (DamagedRecordException e) {
      LOGGER.warn("A message is not copied: {}", e.getMessage());
      return 0;
    }
    out.addEntry(copy, source.type, targets.size(), reader.buffer(), reader.start());
    return copy.length;
  }

  private void addNotes() {
    owner.forEachDelivered(
        (queueId, upTo) -> {
          copy.deliveredQueue = queueId;
          copy.deliveredUpTo = upTo;
          out.addDelivered(copy);
        });
    owner.forEachReturned(
        MOST_NOTES,
        (queueId, notes) -> {
          copy.returnedQueue = queueId;
          copy.returnedAll = true;
          copy.returnedNotes = notes;
          out.addReturned(copy);
        });
    owner.forEachApplied(
        (origin, number, unknownUpTo, outcome) -> {
          copy.appliedOrigin = origin;
          copy.appliedNumber = number;
          copy.unknownUpTo = unknownUpTo;
          copy.appliedOutcome = outcome;
          out.addApplied(copy);
        });
  }
}
