package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates and deletes the files of a log's segments. Safe for use by several threads.
 *
 * <p>Creates and deletes the files of segments: the file of a deleted segment is kept, and reused
 * by the next one.
 *
 * <h2>Why</h2>
 *
 * <p>When a file is deleted, the file system drops all its pages from memory and frees all its
 * blocks, and may report these to the device: for 64 MiB this takes 20 to 80 ms, partly while it
 * holds the journal that all forces need. And the length of a growing file is forced with its
 * content, through that journal, which takes twice as long as a force of overwritten data.
 *
 * <h2>The order</h2>
 *
 * <p>A segment is deleted when its file has another name, and that is safe. It is not overwritten
 * before. The next segment's header is forced under that other name, so no file ever has the name
 * of a segment whose header it does not contain. Old records in the file are not valid in the new
 * segment (see {@link RecordFormat}), and the header says up to where they may be. When a segment
 * is complete its file is truncated there, so only the last segment of a log can have any.
 *
 * <p>At most one such spare file is kept; those that a start finds are deleted. There is none when
 * the disk is full, nor when nothing has been appended for a while.
 */
public final class SegmentFiles {
  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentFiles.class);

  private final LogDirectory directory;
  private final int segmentBytes;
  private final AtomicReference<Spare> spare = new AtomicReference<>();
  private final AtomicLong metadataSeen = new AtomicLong();
  private volatile SegmentManifest manifest;

  /** A file that no segment uses. */
  private record Spare(String name, int length) {}

  public SegmentFiles(LogDirectory directory, int segmentBytes) {
    this.directory = directory;
    this.segmentBytes = segmentBytes;
  }

  /**
   * Called when the log has been opened.
   *
   * @param listed which segments must exist; null if the log has no manifest
   */
  public void startWith(SegmentManifest listed) {
    manifest = listed;
  }

  /**
   * Records that the log has seen metadata of this sequence number. It is written to the manifest
   * when another segment is listed: higher numbers are found in that and later segments only.
   */
  public void saw(long sequence) {
    metadataSeen.accumulateAndGet(sequence, Math::max);
  }

  /**
   * Lists segments that must exist from now on: their files and names are safe, and nothing in new
   * ones is confirmed yet.
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
   * Removes segments from the list: they need not exist any more.
   *
   * @return whether that is safe, so that the files may be removed
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
   * Creates the file of a new segment, with its header. Neither its name nor its content is safe
   * before a force of the directory and the file.
   */
  public LogFile create(SegmentHeader header) throws IOException {
    Spare taken = spare.getAndSet(null);
    if (taken != null && directory.hasOtherLinks(taken.name)) {
      // A backup has it: what is written over it here would be written over it there.
      discard(taken);
    } else if (taken != null) {
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
   * @param roomIsNeeded whether its file must not be kept as the spare file
   * @return whether it is deleted for good; if not, nothing has changed
   * @throws IOException if it is deleted, but that could not be made safe
   */
  public boolean remove(Segment segment, boolean roomIsNeeded) throws IOException {
    String name = SegmentNames.log(segment.number);
    Spare kept = null;
    try {
      // The index is deleted first: without its segment it might be taken for that of a later
      // one.
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

  /** Deletes the spare file. */
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

  /** Closes the files of segments, and deletes the spare file. */
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
