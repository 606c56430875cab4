package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds where a replicated log has to be cut, and cuts it.
 *
 * <p>Cuts a replicated log, before it is recovered: what is behind a certain burst, and in any case
 * what belongs to a burst without an end.
 *
 * <p>The order makes a crash harmless. First the manifest lists what remains, and keeps the highest
 * number that a segment has had. Then the segments behind the cut are deleted, the last one first,
 * each deletion safe before the next one, and at last the segment that has the cut is truncated. So
 * whatever a crash leaves is a beginning of the log that has all that was to remain, and the cut
 * can be made again. A number is not used twice, since marks and notes of what has been forced name
 * segments by their numbers.
 */
final class BurstCut {
  private static final Logger LOGGER = LoggerFactory.getLogger(BurstCut.class);

  private final LogDirectory directory;
  private final List<Integer> segments;
  private final Indexes indexes;
  private final RecordHeader head = new RecordHeader();

  /** Provides the indexes of segments. */
  @FunctionalInterface
  interface Indexes {
    /** Returns the index of this segment; null if nothing of it can be read. */
    SegmentIndex of(int segment) throws IOException;
  }

  /**
   * Prepares a cut.
   *
   * @param segments the numbers of the segments, in order
   */
  BurstCut(LogDirectory directory, List<Integer> segments, Indexes indexes) {
    this.directory = directory;
    this.segments = segments;
    this.indexes = indexes;
  }

  /**
   * Returns where the log is to be cut; {@link Location#NONE} if it needs no cut.
   *
   * @param upTo the number of the last burst that is to remain; all that are whole if it is higher
   * @throws IOException if the log begins behind that burst
   */
  long find(long upTo) throws IOException {
    long remaining = Math.min(upTo, last());
    long from = Location.NONE;
    for (int i = segments.size() - 1; i >= 0; i--) {
      int segment = segments.get(i);
      SegmentIndex index = indexes.of(segment);
      if (index == null) {
        continue;
      }
      IndexCursor records = index.cursor();
      if (!records.next(head) || head.type != RecordType.HISTORY) {
        continue;
      }
      if (isBehind(remaining)) {
        from = Location.of(segment, SegmentHeader.SPACE);
      } else {
        int offset = offsetBehind(records, remaining);
        return offset == 0 ? from : Location.of(segment, offset);
      }
    }
    if (from != Location.NONE && remaining > 0) {
      throw new IOException(
          "the log in %s cannot be cut behind burst %d: it begins later"
              .formatted(directory, remaining));
    }
    return from;
  }

  /** Returns the number of the last whole burst; 0 if there is none. */
  private long last() throws IOException {
    for (int i = segments.size() - 1; i >= 0; i--) {
      SegmentIndex index = indexes.of(segments.get(i));
      long last = -1;
      IndexCursor records = index == null ? null : index.cursor();
      while (records != null && records.next(head)) {
        if (head.type == RecordType.HISTORY || head.type == RecordType.BURST) {
          last = head.burst.number();
        }
      }
      if (last >= 0) {
        return last;
      }
    }
    return 0;
  }

  /** Whether the whole segment, which begins with this record, is behind a burst. */
  private boolean isBehind(long number) {
    long before = head.burst.number();
    return before > number || (before == number && head.withinBurst);
  }

  /** Returns the offset of the first record of the next burst; 0 if there is none. */
  private int offsetBehind(IndexCursor records, long number) {
    long last = head.burst.number();
    while (records.next(head)) {
      if (head.inBurst && last == number) {
        return head.offset;
      }
      if (head.type == RecordType.BURST) {
        last = head.burst.number();
      }
    }
    return 0;
  }

  /** Cuts the log at a location. */
  void cut(long from, SegmentManifest manifest) throws IOException {
    int first = Location.segment(from);
    boolean wholly = Location.offset(from) == SegmentHeader.SPACE;
    LOGGER.info(
        "The log in {} is cut at {} of {}",
        directory,
        Location.offset(from),
        SegmentNames.log(first));
    manifest.cut(wholly ? Location.of(first, 0) : from, segments.get(segments.size() - 1));
    for (int i = segments.size() - 1; i >= 0; i--) {
      int segment = segments.get(i);
      if (segment > first || (segment == first && wholly)) {
        directory.delete(SegmentNames.index(segment));
        directory.delete(SegmentNames.log(segment));
        directory.force();
      }
    }
    if (!wholly) {
      directory.delete(SegmentNames.index(first));
      directory.force();
      try (LogFile file = directory.open(SegmentNames.log(first), true)) {
        file.truncate(Location.offset(from));
        file.force();
      }
    }
  }
}
