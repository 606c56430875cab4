package io.mayflymq.core.store.segment.file;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * How the files of segments come and go: the file of one that goes is kept, and written over by the next one.
 *
 * WHY
 * To delete a file, its system drops every page of it from memory and gives back every block, and may tell the device of these: for 64 MiB
 * 20 to 80 ms, and some of it while it holds the journal that all forces need. And a file that grows has its length forced
 * with its content, through that journal, which takes twice as long as to force what is written over.
 *
 * THE ORDER
 * A segment is gone when its file has another name, and that is safe. Nothing is written over it before. The next segment's header is
 * forced under that other name, so no file is ever called by a segment whose header it has not got. Records that the file
 * held before are none of the new segment's (see RecordFormat), and the header tells how far they may reach. When a segment is
 * complete its file is cut there, so only the last one of a log can have any.
 *
 * One such file is kept; those that a start finds are deleted. There is none when the disk is full, nor when the log has rested for a while.
 */
/** Makes and removes the files of a log's segments. Safe for use by several threads. */
public final class SegmentFiles {
  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentFiles.class);

  private final LogDirectory directory;
  private final int segmentBytes;
  private final AtomicReference<Spare> spare = new AtomicReference<>();
  private final AtomicLong metadataSeen = new AtomicLong();
  private volatile SegmentManifest manifest;

  /** A file that no segment has. */
  private record Spare(String name, int length) {}

  public SegmentFiles(LogDirectory directory, int segmentBytes) {
    this.directory = directory;
    this.segmentBytes = segmentBytes;
  }

  /**
   * Begins when the log has been opened.
   *
   * @param listed which segments must be there; null if the log has no manifest
   */
  public void startWith(SegmentManifest listed) {
    manifest = listed;
  }

  /**
   * The log has seen metadata of this sequence number. The manifest says so once another segment is
   * listed: higher ones are found in that and later segments only.
   */
  public void saw(long sequence) {
    metadataSeen.accumulateAndGet(sequence, Math::max);
  }

  /**
   * The files and names of these segments are safe, and nothing in those that are new is confirmed
   * yet: they must be there from now on.
   *
   * @throws IOException if a force fails
   */
  public void list(List<Segment> segments) throws IOException {
    if (manifest != null) {
      Map<Integer, Long> listed = new HashMap<>();
      segments.forEach(segment -> listed.put(segment.number, segment.header.logId()));
      manifest.add(listed, metadataSeen.get());
    }
  }

  /**
   * These segments need not be there any more.
   *
   * @return whether that is safe, so that they may be removed
   * @throws IOException if a force fails
   */
  public boolean unlist(List<Segment> segments) throws IOException {
    return manifest == null
        || manifest.remove(segments.stream().map(segment -> segment.number).toList());
  }

  /** See {@link SegmentManifest#note}. */
  public void note(long forcedTo, long sequence) throws IOException {
    saw(sequence);
    if (manifest != null) {
      manifest.note(forcedTo, sequence);
    }
  }

  /**
   * Makes the file of a new segment, with its header. Its name is not safe before the directory is
   * forced, nor may its content be.
   */
  public LogFile create(SegmentHeader header) throws IOException {
    Spare taken = spare.getAndSet(null);
    if (taken != null) {
      try {
        return reuse(taken, header);
      } catch (IOException e) {
        LOGGER.warn("{} in {} could not be written over: {}", taken.name, directory, e.toString());
        discard(taken);
      }
    }
    LogFile file = directory.create(SegmentNames.log(header.segment()));
    try {
      header.store(file);
    } catch (IOException e) {
      file.close();
      throw e;
    }
    return file;
  }

  private LogFile reuse(Spare taken, SegmentHeader header) throws IOException {
    LogFile file = directory.open(taken.name, true);
    try {
      header.over(taken.length).store(file);
      file.force();
      directory.rename(taken.name, SegmentNames.log(header.segment()));
    } catch (IOException e) {
      file.close();
      throw e;
    }
    return file;
  }

  /**
   * Removes a segment from the disk.
   *
   * @param roomIsNeeded whether its file must not be kept
   * @return whether it is gone, for good; if not, it is all as it was
   * @throws IOException if it is gone, but that could not be made safe
   */
  public boolean remove(Segment segment, boolean roomIsNeeded) throws IOException {
    String name = SegmentNames.log(segment.number);
    Spare kept = null;
    try {
      // The index first: without its segment it might be taken for that of a later one.
      directory.delete(SegmentNames.index(segment.number));
      long length = segment.file.size();
      if (!roomIsNeeded && spare.get() == null && isOfUsualLength(length)) {
        kept = new Spare(SegmentNames.spare(segment.number), (int) length);
        directory.rename(name, kept.name);
      } else {
        directory.delete(name);
      }
    } catch (IOException e) {
      LOGGER.warn("{} in {} could not be deleted: {}", segment, directory, e.toString());
      return false;
    }
    directory.force();
    close(segment.file, name);
    if (kept != null) {
      spare.set(kept);
    }
    return true;
  }

  private boolean isOfUsualLength(long length) {
    return length >= segmentBytes / 2 && length <= 2L * segmentBytes;
  }

  /** Deletes what is kept. */
  public void deleteSpare() {
    Spare taken = spare.getAndSet(null);
    if (taken != null) {
      discard(taken);
    }
  }

  private void discard(Spare unwanted) {
    try {
      directory.delete(unwanted.name);
    } catch (IOException e) {
      LOGGER.warn("{} in {} could not be deleted: {}", unwanted.name, directory, e.toString());
    }
  }

  /** Closes the files of segments, and deletes what is kept. */
  public void close(Iterable<Segment> segments) {
    deleteSpare();
    for (Segment segment : segments) {
      if (segment.file != null) {
        close(segment.file, SegmentNames.log(segment.number));
      }
    }
  }

  private void close(LogFile file, String name) {
    try {
      file.close();
    } catch (IOException e) {
      LOGGER.warn("Closing {} in {}: {}", name, directory, e.toString());
    }
  }
}
