package io.mayflymq.core.store.segment;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the bursts of a log in the form in which replicas send them. What was just appended comes
 * from memory. Belongs to the shard's thread.
 *
 * <p>A burst has no index: it is found by reading its segment from the start. But followers that
 * are behind read one burst after the other. So it is remembered where those begin that come next:
 * then each record is read once for each follower.
 */
final class BurstReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(BurstReader.class);

  /** For some followers, as each read remembers the burst and the one behind it. */
  private static final int MOST_BEGINS = 16;

  private final SegmentTable table;
  private final Bursts bursts;
  private final LogAppender tail;
  private final RecordReader reader;
  private final RecordHeader head = new RecordHeader();
  private final WireBurst.Writer out = new WireBurst.Writer();

  /** Where bursts begin that were read, or are behind those, by their numbers. */
  private final Map<Long, Long> begins =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > MOST_BEGINS;
        }
      };

  private Segment segment;
  private int offset;

  /** How long the burst was that was read last: the next one is often about as long. */
  private int lastLength;

  BurstReader(SegmentTable table, Bursts bursts, LogAppender tail, RecordReader reader) {
    this.table = table;
    this.bursts = bursts;
    this.tail = tail;
    this.reader = reader;
  }

  /** Returns what the burst has so far that has begun. */
  ByteBuffer begun(long leaderMillis) {
    if (bursts.records() == 0) {
      out.begin(0);
    } else {
      segment = table.get(Location.segment(bursts.begin()));
      offset = Location.offset(bursts.begin());
      out.begin(segment.length - offset);
      while (next()) {
        if (head.inBurst) {
          out.add(reader.buffer(), reader.start());
        }
      }
    }
    return out.end(leaderMillis);
  }

  /**
   * Returns a burst.
   *
   * @return null if the log does not have all of it any more
   */
  WireBurst read(long number) {
    if (number <= bursts.base() || number > bursts.last().number() || !findStart(number)) {
      return null;
    }
    boolean begun = offset > SegmentHeader.SPACE;
    int records = 0;
    out.begin(lastLength);
    try {
      while (next()) {
        if (head.type == RecordType.BURST && head.burst.number() == number) {
          begins.put(number + 1, place());
          boolean whole = records == head.burstRecords;
          lastLength = out.length();
          return whole ? new WireBurst(head.burst, out.end(head.leaderMillis)) : null;
        }
        if (head.type == RecordType.BURST || head.type == RecordType.HISTORY) {
          boolean isBefore = head.burst.number() == number - 1;
          if (isBefore && !begun) {
            begins.put(number, place());
          }
          begun = isBefore;
        } else if (head.inBurst && begun) {
          records++;
          out.add(reader.buffer(), reader.start());
        }
      }
    } catch (DamagedRecordException | UncheckedIOException e) {
      // Its segment may be about to be deleted.
      LOGGER.warn("Burst {} cannot be read: {}", number, e.getMessage());
    }
    return null;
  }

  /**
   * Goes to where a burst begins, if that is known, or else to a segment that begins before it.
   *
   * @return false if there is none
   */
  private boolean findStart(long number) {
    long known = begins.getOrDefault(number, Location.NONE);
    segment = table.find(Location.segment(known));
    offset = Location.offset(known);
    if (segment == null) {
      segment = table.find(bursts.segmentOf(number - 1));
      offset = SegmentHeader.SPACE;
    }
    return segment != null;
  }

  /** Returns where the next record is read. */
  private long place() {
    return Location.of(segment.number, offset);
  }

  /** Reads the next record, perhaps of the next segment. */
  private boolean next() {
    while (offset >= segment.length) {
      Segment following = table.after(segment);
      if (following == null) {
        return false;
      }
      segment = following;
      offset = SegmentHeader.SPACE;
    }
    reader.find(tail, Location.of(segment.number, offset));
    RecordDecoder.head(reader.buffer(), reader.start(), head);
    offset += head.length;
    return true;
  }
}
