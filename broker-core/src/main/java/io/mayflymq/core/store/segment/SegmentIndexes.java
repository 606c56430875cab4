package io.mayflymq.core.store.segment;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Provides the indexes of complete segments. */
final class SegmentIndexes {
  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentIndexes.class);

  private SegmentIndexes() {}

  /**
   * Returns the index of a segment from its file, or else from the segment itself.
   *
   * @param segment one that is complete and written
   * @throws IOException if neither can be read
   */
  static SegmentIndex of(LogDirectory directory, Segment segment) throws IOException {
    SegmentIndex index = null;
    try (LogFile file = directory.open(SegmentNames.index(segment.number), false)) {
      index = SegmentIndex.load(file, segment.number);
    } catch (IOException e) {
      LOGGER.info("No index of {} in {}: {}", segment, directory, e.toString());
    }
    return index != null ? index : rebuild(segment);
  }

  private static SegmentIndex rebuild(Segment segment) throws IOException {
    SegmentScanner scanner = new SegmentScanner(segment.file, segment, SegmentScanner.window());
    IndexBuilder builder = new IndexBuilder(1 << 16);
    RecordHeader head = new RecordHeader();
    while (scanner.next(head)) {
      if (head.offset > scanner.gapFrom()) {
        throw new IOException("damaged records from " + scanner.gapFrom());
      }
      builder.add(head);
    }
    if (scanner.end() < segment.length) {
      throw new IOException("damaged records from " + scanner.end());
    }
    return builder.build(segment.header, segment.length);
  }
}
