package io.mayflymq.core.store.segment;

import java.io.IOException;

/**
 * Finds out which metadata a log has seen.
 *
 * <p>The manifest has the number for all segments before the last one that it lists; newer numbers
 * are in the notes of names (QUEUE) in that segment and later ones. So the number is known exactly,
 * whenever the machine crashed, and no publish has to wait for a number to be forced.
 */
public final class MetadataSeen {
  /** The number is unknown, as there are segments and no manifest. */
  public static final long UNKNOWN = -1;

  private final LogDirectory directory;
  private final RecordHeader head = new RecordHeader();

  private MetadataSeen(LogDirectory directory) {
    this.directory = directory;
  }

  /**
   * Returns the highest sequence number of metadata that a log has seen; 0 if none, {@link
   * #UNKNOWN} if that cannot be determined. Nothing is changed.
   *
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static long by(LogDirectory directory) throws IOException {
    ManifestContents manifest = SegmentManifest.read(directory).contents();
    int first = manifest == null ? 0 : manifest.highest();
    long seen = manifest == null ? 0 : manifest.metadataSeen();
    MetadataSeen notes = new MetadataSeen(directory);
    for (int number : SegmentNames.segments(directory.list())) {
      if (manifest == null) {
        return UNKNOWN;
      }
      if (number >= first) {
        seen = Math.max(seen, notes.in(number));
      }
    }
    return seen;
  }

  private long in(int number) throws IOException {
    String name = SegmentNames.log(number);
    try (LogFile file = directory.open(name, false)) {
      SegmentHeader header = SegmentHeader.read(file, name).header();
      if (header == null) {
        return 0;
      }
      SegmentIndex index = index(number);
      boolean whole = index != null && index.header().logId() == header.logId();
      return whole ? in(index.cursor()) : in(file, new Segment(header));
    }
  }

  private SegmentIndex index(int number) throws IOException {
    String name = SegmentNames.index(number);
    if (!directory.list().contains(name)) {
      return null;
    }
    try (LogFile file = directory.open(name, false)) {
      return SegmentIndex.load(file, number);
    }
  }

  private long in(IndexCursor records) {
    long seen = 0;
    while (records.next(head)) {
      seen = Math.max(seen, noted());
    }
    return seen;
  }

  private long in(LogFile file, Segment segment) throws IOException {
    SegmentScanner scanner = new SegmentScanner(file, segment, SegmentScanner.window());
    long seen = 0;
    while (scanner.next(head)) {
      seen = Math.max(seen, noted());
    }
    return seen;
  }

  private long noted() {
    return head.type == RecordType.QUEUE ? head.metadataSeen : 0;
  }
}
