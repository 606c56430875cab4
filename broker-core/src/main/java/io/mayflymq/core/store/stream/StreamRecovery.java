package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.EntryReader;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.OpenedManifest;
import io.mayflymq.core.store.segment.SegmentHeader;
import io.mayflymq.core.store.segment.SegmentNames;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers a stream at start: it reads the header of each segment, and the records after the last
 * one that its index names. Everything before is assumed to be intact: the index names a record
 * after it has been forced. So a start takes no longer for a long stream than for a short one of as
 * many segments.
 *
 * <p>Valid records after that may not have been forced yet, as after a kill: they are forced before
 * a consumer sees them. Otherwise a power loss could undo them, and their offsets would be given to
 * other messages.
 *
 * <p>Invalid bytes after that were written last before a crash, and were not confirmed: they are
 * cut off. A segment without any record is deleted, as is one without a header; both were begun
 * just before.
 */
final class StreamRecovery {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamRecovery.class);

  private final StreamOutput stream;
  private final StreamDirectories directories;
  private final EntryReader entries = new EntryReader();
  private final List<StreamSegment> segments = new ArrayList<>();
  private final Map<Integer, Long> listed = new TreeMap<>();
  private OpenedManifest manifest;

  /** The first record of those that were read: its offset, and when it arrived. */
  private long firstRead;

  private long firstReadMillis;
  private long nextOffset;

  /**
   * What was found.
   *
   * @param files the files, open for writing
   * @param logId the id in the headers of the segments
   * @param segments the segments that have messages, in order
   * @param lastNumber the highest number that a segment has or had
   * @param nextOffset the offset after the last message
   */
  record Found(
      StreamFiles files,
      long logId,
      List<StreamSegment> segments,
      int lastNumber,
      long nextOffset) {}

  StreamRecovery(StreamOutput stream, StreamDirectories directories) {
    this.stream = stream;
    this.directories = directories;
  }

  Found run() throws IOException {
    LogDirectory directory = directories.open(stream.id);
    manifest = StreamFiles.open(directories, directory, stream);
    List<Integer> empty = new ArrayList<>();
    int last = manifest.highest();
    for (int number : SegmentNames.segments(directory.list())) {
      if (!recover(directory, number)) {
        empty.add(number);
      }
      last = Math.max(last, number);
    }
    StreamFiles files = new StreamFiles(directory, manifest.settle(listed));
    // They are deleted only when they are no longer listed.
    for (int number : empty) {
      directory.delete(SparseIndex.name(number));
      directory.delete(SegmentNames.log(number));
    }
    directories.keep(stream.id, manifest.logId());
    return new Found(files, manifest.logId(), segments, last, nextOffset);
  }

  /** Takes a segment over. @return false if it is empty */
  private boolean recover(LogDirectory directory, int number) throws IOException {
    String name = SegmentNames.log(number);
    try (LogFile file = directory.open(name, true)) {
      SegmentHeader header = SegmentHeader.read(file, name).header();
      if (header == null || header.segment() != number) {
        if (file.size() > SegmentHeader.SPACE) {
          LOGGER.error("{} in {} has no header that can be read: it is left out", name, directory);
          listed.put(number, manifest.logIdOf(number));
          return true;
        }
        return false;
      }
      if (!manifest.isOwn(header)) {
        LOGGER.error("{} in {} belongs to another stream: it is set aside", name, directory);
        directory.rename(name, SegmentNames.foreign(name));
        return true;
      }
      StreamSegment segment = new StreamSegment(header);
      boolean forced = findEnd(directory, file, segment);
      skipDamage(directory, file, segment, name);
      nextOffset = Math.max(nextOffset, header.firstRecord());
      if (segment.lastOffset < 0) {
        return false;
      }
      cut(directory, file, segment, name);
      if (!forced) {
        file.force();
        index(directory, segment, segment.lastOffset, segment.lastMillis, segment.lastPosition);
      }
      segment.safeLength = segment.length;
      nextOffset = Math.max(nextOffset, segment.lastOffset + 1);
      segments.add(segment);
      listed.put(number, header.logId());
      return true;
    }
  }

  /**
   * Reads from the last existing record that the index names.
   *
   * @return whether that is the last record, and so everything has been forced
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
        LOGGER.warn(
            "{} of {} has lost messages at its end, from byte {}", segment, stream, position);
      }
    } catch (NoSuchFileException | FileNotFoundException e) {
      LOGGER.info("{} of {} has no index and is read", segment, stream);
    }
    readFrom(file, segment, SegmentHeader.SPACE, size);
    return false;
  }

  private boolean readFrom(LogFile file, StreamSegment segment, int position, int size)
      throws IOException {
    entries.seek(file, segment.key, position);
    boolean any = false;
    while (entries.next(size)) {
      if (!any) {
        firstRead = entries.sequence();
        firstReadMillis = entries.enqueuedAtMillis();
      }
      any = true;
      segment.length = entries.offset();
      segment.appended(
          entries.sequence(),
          entries.end() - entries.offset(),
          entries.enqueuedAtMillis(),
          (entries.flags() & StreamSegment.BEGINS_BATCH) != 0);
    }
    return any;
  }

  /**
   * Continues after a damaged record that had been forced; later records are intact and are found
   * with the index.
   */
  private void skipDamage(LogDirectory directory, LogFile file, StreamSegment segment, String name)
      throws IOException {
    int size = (int) Math.min(file.size(), Integer.MAX_VALUE);
    int forced = manifest.forcedOf(segment.number());
    while (segment.length < forced) {
      int from = segment.length;
      int next = from + 1;
      while (next < size && !readFrom(file, segment, next, size)) {
        next++;
      }
      int to = next < size ? next : forced;
      LOGGER.warn("damaged records in {} in {}, bytes {} to {}", name, directory, from, to);
      if (next >= size) {
        return;
      }
      index(directory, segment, firstRead, firstReadMillis, next);
    }
  }

  /** Adds a record to the index, up to which everything is known to have been forced. */
  private static void index(
      LogDirectory directory, StreamSegment segment, long offset, long millis, int position)
      throws IOException {
    String name = SparseIndex.name(segment.number());
    try (LogFile file =
        directory.list().contains(name) ? directory.open(name, true) : directory.create(name)) {
      long end = file.size() / SparseIndex.ENTRY * SparseIndex.ENTRY;
      file.write(SparseIndex.put(null, segment, offset, millis, position).flip(), end);
    }
  }

  private void cut(LogDirectory directory, LogFile file, StreamSegment segment, String name)
      throws IOException {
    long size = file.size();
    if (size > segment.length && segment.length >= manifest.forcedOf(segment.number())) {
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
