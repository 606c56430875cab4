package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.EntryReader;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.SegmentHeader;
import io.mayflymq.core.store.segment.SegmentNames;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Finds out at start what a stream has: of each segment its header, and what follows the last record that its index names. All else is believed:
 * the index names a record after it has been forced. So a start takes no longer for a long stream than for a short one of as many segments.
 *
 * What follows and is a record may not have been forced yet, as after a kill: it is forced before anybody sees it. Else a loss of power could
 * take it back, and its offset would be given to another message.
 *
 * What follows and is no record was written last before a crash, and was not confirmed: it is cut off. A segment without any record is deleted, as
 * is one without a header; both were begun just before.
 */
final class StreamRecovery {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamRecovery.class);

  private final StreamLog log;
  private final EntryReader entries = new EntryReader();
  private final List<StreamSegment> segments = new ArrayList<>();
  private long nextOffset;

  StreamRecovery(StreamLog log) {
    this.log = log;
  }

  void run(LogDirectory directory) throws IOException {
    int last = 0;
    for (int number : SegmentNames.segments(directory.list())) {
      if (!recover(directory, number)) {
        directory.delete(SparseIndex.name(number));
        directory.delete(SegmentNames.log(number));
      }
      last = number;
    }
    log.recovered(directory, segments, last, nextOffset);
  }

  /** Takes a segment over. @return false if there is nothing in it */
  private boolean recover(LogDirectory directory, int number) throws IOException {
    String name = SegmentNames.log(number);
    try (LogFile file = directory.open(name, true)) {
      SegmentHeader header = SegmentHeader.read(file, name).header();
      if (header == null || header.segment() != number) {
        if (file.size() > SegmentHeader.SPACE) {
          LOGGER.error("{} in {} has no header that can be read: it is left out", name, directory);
          return true;
        }
        return false;
      }
      StreamSegment segment = new StreamSegment(header);
      boolean forced = findEnd(directory, file, segment);
      nextOffset = Math.max(nextOffset, header.firstRecord());
      if (segment.lastOffset < 0) {
        return false;
      }
      cut(directory, file, segment, name);
      if (!forced) {
        file.force();
      }
      segment.safeLength = segment.length;
      nextOffset = Math.max(nextOffset, segment.lastOffset + 1);
      segments.add(segment);
      return true;
    }
  }

  /**
   * Reads from the last record that the index names and that is there.
   *
   * @return whether that is the last one of all, and so everything has been forced
   */
  private boolean findEnd(LogDirectory directory, LogFile file, StreamSegment segment)
      throws IOException {
    int size = (int) Math.min(file.size(), Integer.MAX_VALUE);
    try (SparseIndex index =
        new SparseIndex(directory.open(SparseIndex.name(segment.number()), false), segment)) {
      for (int i = index.count() - 1; i >= 0; i--) {
        if (!index.read(i)) {
          continue;
        }
        int position = index.position();
        if (position < size && readFrom(file, segment, position, size)) {
          return segment.lastPosition == position;
        }
        LOGGER.warn("{} of {} has lost messages at its end, from byte {}", segment, log, position);
      }
    } catch (NoSuchFileException | FileNotFoundException e) {
      LOGGER.info("{} of {} has no index and is read", segment, log);
    }
    readFrom(file, segment, SegmentHeader.SPACE, size);
    return false;
  }

  private boolean readFrom(LogFile file, StreamSegment segment, int position, int size)
      throws IOException {
    entries.seek(file, segment.key, position);
    boolean any = false;
    while (entries.next(size)) {
      any = true;
      segment.length = entries.offset();
      segment.appended(
          entries.sequence(),
          entries.end() - entries.offset(),
          entries.enqueuedAtMillis(),
          (entries.flags() & StreamLog.BEGINS_BATCH) != 0);
    }
    return any;
  }

  private void cut(LogDirectory directory, LogFile file, StreamSegment segment, String name)
      throws IOException {
    long size = file.size();
    if (size > segment.length) {
      LOGGER.info(
          "{} in {} ends with {} bytes that a crash left: nothing confirmed is lost",
          name,
          directory,
          size - segment.length);
      file.truncate(segment.length);
      file.force();
    }
  }
}
