package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.Damage;
import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.LogDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The contents and damages of a stream's files, found without changing any of them.
 *
 * <p>Every record is read. While a broker uses the stream, data that is being written may look
 * torn.
 *
 * @param directory the stream's directory
 * @param segments its segments, in order
 * @param damages the damages found, including torn tails
 */
public record StreamCheck(String directory, List<SegmentFile> segments, List<Damage> damages) {
  /**
   * A segment. One that cannot be read has no messages.
   *
   * @param file its name
   * @param bytes its length, including bytes that are not valid records
   * @param messages how many messages it has
   * @param firstOffset the offset of the first of them, -1 if there is none
   * @param lastOffset the offset of the last of them, -1 if there is none
   * @param index whether its index exists and is intact; without it messages are found more slowly
   */
  public record SegmentFile(
      String file, long bytes, long messages, long firstOffset, long lastOffset, boolean index) {}

  /**
   * Reads a stream.
   *
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static StreamCheck of(Path streamDirectory) throws IOException {
    return of(new DiskDirectory(streamDirectory));
  }

  /** Does the same for any implementation of a directory. */
  public static StreamCheck of(LogDirectory directory) throws IOException {
    return new StreamInspector(directory).inspect();
  }
}
