package io.mayflymq.core.store.segment.recovery;

import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.segment.file.Damage;
import io.mayflymq.core.store.segment.file.DiskDirectory;
import io.mayflymq.core.store.segment.file.LogDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What the files of a log hold, and what is wrong with them, as found without a change to any of
 * them.
 *
 * <p>Every record is read, of messages too. While a broker uses the log, what is being written may
 * look torn.
 *
 * @param directory the log's directory
 * @param segments its segments, in order
 * @param damages what is not as it was written, torn tails too
 * @param quarantined the files that earlier starts have put damaged bytes into
 * @param queues whose entries these are that no record says are gone
 */
public record LogCheck(
    String directory,
    List<SegmentFile> segments,
    List<Damage> damages,
    List<String> quarantined,
    List<QueueCount> queues) {
  /**
   * What a queue has in the log, with what is scheduled for it and its dead letters that wait.
   *
   * @param id the number that it is known by
   * @param name what it is called; null if no record says so, as in logs of older versions
   * @param knownSince the lowest sequence number of metadata that are noted to have known it, 0 if
   *     none are
   * @param live how many entries it has
   */
  public record QueueCount(long id, QueueName name, long knownSince, long live) {}

  /**
   * A segment. Of one that cannot be read, all counts are 0.
   *
   * @param file its name
   * @param bytes its length, with what is no record
   * @param records how many records it has
   * @param live how many entries of queues these brought that no record says are gone; a message
   *     has one in each queue
   * @param settled how many entries are settled, or were moved or copied elsewhere
   * @param index whether its index is there and whole; the last segment may do without
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

  /** The same for a directory that may be elsewhere. */
  public static LogCheck of(LogDirectory directory) throws IOException {
    return new LogInspector(directory).inspect();
  }
}
