package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The manifest of a log as it was when the log was opened, and the means to bring it up to date. A
 * log of an older version has none and gets one.
 */
public final class OpenedManifest {
  private final LogDirectory directory;
  private final SegmentManifest.Found found;
  private final ManifestContents contents;

  private OpenedManifest(
      LogDirectory directory, SegmentManifest.Found found, ManifestContents contents) {
    this.directory = directory;
    this.found = found;
    this.contents = contents;
  }

  /**
   * Reads the manifest.
   *
   * @param identity identifies the log; the manifest of another log is ignored
   * @param newLogId the id of the log if it has no manifest yet
   * @param about the owner's text in that case
   * @param metadataSeen the present sequence number of metadata, used in that case, too
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static OpenedManifest read(
      LogDirectory directory, LogIdentity identity, long newLogId, String about, long metadataSeen)
      throws IOException {
    SegmentManifest.Found found = SegmentManifest.read(directory);
    if (found.contents() != null && found.contents().identity().equals(identity)) {
      return new OpenedManifest(directory, found, found.contents());
    }
    ManifestContents made =
        ManifestContents.empty(identity, newLogId).about(about).noting(Location.NONE, metadataSeen);
    return new OpenedManifest(directory, new SegmentManifest.Found(null, found.bad()), made);
  }

  /** The log's random id, which new segments get. */
  public long logId() {
    return contents.logId();
  }

  /** Returns the highest number of a segment that must exist; 0 if there is none. */
  public int highest() {
    return contents.highest();
  }

  /**
   * Returns how much of a segment had been forced by the latest note, in bytes; 0 without a note.
   */
  public int forcedOf(int segment) {
    long location = found.forcedTo();
    return Location.segment(location) == segment ? Location.offset(location) : 0;
  }

  /** Whether a segment belongs to this log. */
  public boolean isOwn(SegmentHeader header) {
    return found.contents() == null || header.logId() == logIdOf(header.segment());
  }

  /** Returns the log id in the header of a segment if it is listed, else that of new segments. */
  public long logIdOf(int segment) {
    return contents.segments().getOrDefault(segment, contents.logId());
  }

  /**
   * Lists these segments, which must exist from now on, and no others.
   *
   * @param segments their numbers, and the log id in the header of each
   * @return the manifest, to list further segments; it is safe
   * @throws IOException if it cannot be written
   */
  public SegmentManifest settle(Map<Integer, Long> segments) throws IOException {
    TreeMap<Integer, Long> there = new TreeMap<>(segments);
    ManifestContents after = contents.segments().equals(there) ? contents : contents.with(there);
    return SegmentManifest.settle(directory, found, after);
  }
}
