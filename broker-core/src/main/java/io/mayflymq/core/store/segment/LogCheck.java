package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.QueueName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The contents and damages of a log's files, found without changing any of them.
 *
 * <p>Every record is read, including messages. While a broker uses the log, data that is being
 * written may look torn.
 *
 * @param directory the log's directory
 * @param segments its segments, in order
 * @param damages the damages found, including torn tails
 * @param quarantined the files with damaged bytes that earlier starts have saved
 * @param queues the queues with live entries
 * @param end the last burst of the log of a replica; {@link BurstId#NONE} if there is none
 */
public record LogCheck(
    String directory,
    List<SegmentFile> segments,
    List<Damage> damages,
    List<String> quarantined,
    List<QueueCount> queues,
    BurstId end) {
  /**
   * The number of a queue's entries in the log, including its scheduled messages and waiting dead
   * letters.
   *
   * @param id the id of the queue
   * @param name its name; null if no record contains it, as in logs of older versions
   * @param knownSince the lowest sequence number of metadata that are noted to know it, 0 if there
   *     is no note
   * @param live how many live entries it has
   */
  public record QueueCount(long id, QueueName name, long knownSince, long live) {}

  /**
   * A segment. If it cannot be read, all counts are 0.
   *
   * @param file its name
   * @param bytes its length, including bytes that are not valid records
   * @param records how many records it has
   * @param live how many of its entries no record marks as gone; a message has one entry in each
   *     queue
   * @param settled how many entries are settled, or were moved or copied elsewhere
   * @param index whether its index exists and is intact; the last segment need not have one
   */
  public record SegmentFile(
      String file, long bytes, long records, long live, long settled, boolean index) {
    /** How many entries there are in all. */
    public long entries() {
      return live + settled;
    }
  }

  /**
   * Reads a log.
   *
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static LogCheck of(Path logDirectory) throws IOException {
    return of(new DiskDirectory(logDirectory));
  }

  /** Does the same for any implementation of a directory. */
  public static LogCheck of(LogDirectory directory) throws IOException {
    return new LogInspector(directory).inspect();
  }
}
