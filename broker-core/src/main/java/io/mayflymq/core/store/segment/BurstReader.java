package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.segment.file.Segment;
import io.mayflymq.core.store.segment.file.SegmentHeader;
import io.mayflymq.core.store.segment.record.DamagedRecordException;
import io.mayflymq.core.store.segment.record.Location;
import io.mayflymq.core.store.segment.record.RecordDecoder;
import io.mayflymq.core.store.segment.record.RecordHeader;
import io.mayflymq.core.store.segment.record.RecordType;
import io.mayflymq.core.store.segment.record.WireBurst;
import io.mayflymq.core.store.segment.recovery.Bursts;
import io.mayflymq.core.store.segment.recovery.SegmentTable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the bursts of a log in the form in which replicas send them. What was just appended comes
 * from memory. Belongs to the shard's thread.
 */
final class BurstReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(BurstReader.class);

  private final SegmentTable table;
  private final Bursts bursts;
  private final LogAppender tail;
  private final RecordReader reader;
  private final RecordHeader head = new RecordHeader();
  private final WireBurst.Writer out = new WireBurst.Writer();
  private Segment segment;
  private int offset;

  BurstReader(SegmentTable table, Bursts bursts, LogAppender tail, RecordReader reader) {
    this.table = table;
    this.bursts = bursts;
    this.tail = tail;
    this.reader = reader;
  }

  /** Returns what the burst has so far that has begun. */
  ByteBuffer begun(long leaderMillis) {
    out.begin();
    if (bursts.records() > 0) {
      segment = table.get(Location.segment(bursts.begin()));
      offset = Location.offset(bursts.begin());
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
    segment = table.find(bursts.segmentOf(number - 1));
    if (segment == null || number <= bursts.base() || number > bursts.last().number()) {
      return null;
    }
    offset = SegmentHeader.SPACE;
    long before = -1;
    int records = 0;
    out.begin();
    try {
      while (next()) {
        if (head.type == RecordType.BURST && head.batch.number() == number) {
          boolean whole = records == head.burstRecords;
          return whole ? new WireBurst(head.batch, out.end(head.leaderMillis)) : null;
        }
        if (head.type == RecordType.BURST || head.type == RecordType.HISTORY) {
          before = head.batch.number();
        } else if (head.inBurst && before == number - 1) {
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
