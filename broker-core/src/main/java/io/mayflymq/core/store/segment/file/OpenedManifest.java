package io.mayflymq.core.store.segment.file;

import io.mayflymq.core.store.segment.record.Location;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the manifest of a log said when it was opened, and how it is brought up to date. A log of an
 * older version has none and gets one.
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
   * Reads it.
   *
   * @param identity what the log is known by; what another one's manifest says is not believed
   * @param newLogId the id of the log if it has no manifest yet
   * @param about what is to be told with the log in the same case
   * @param metadataSeen the sequence number of metadata of this moment, in the same case too
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

  /** The highest number of a segment that must be there; 0 if none must. */
  public int highest() {
    return contents.highest();
  }

  /** How much of a segment had been forced when that was noted last, in bytes; 0 if it was not. */
  public int forcedOf(int segment) {
    long location = found.forcedTo();
    return Location.segment(location) == segment ? Location.offset(location) : 0;
  }

  /** Whether a segment is the log's own. */
  public boolean isOwn(SegmentHeader header) {
    return found.contents() == null || header.logId() == logIdOf(header.segment());
  }

  /** The log id in the header of a segment, as far as it is listed; else that of new ones. */
  public long logIdOf(int segment) {
    return contents.segments().getOrDefault(segment, contents.logId());
  }

  /**
   * From here on these segments must be there, and no others.
   *
   * @param segments their numbers, and the log id in the header of each
   * @return what lists those that come and go; it is safe
   * @throws IOException if it cannot be written
   */
  public SegmentManifest settle(Map<Integer, Long> segments) throws IOException {
    TreeMap<Integer, Long> there = new TreeMap<>(segments);
    ManifestContents after = contents.segments().equals(there) ? contents : contents.with(there);
    return SegmentManifest.settle(directory, found, after);
  }
}
