package io.mayflymq.core.store.segment.file;

import io.mayflymq.core.store.segment.record.RecordFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The first bytes of a segment. They are there twice, in different sectors, as without them nothing
 * in the segment can be read.
 *
 * @param shard the shard whose log it is
 * @param logId a random number that the log's segments share
 * @param segment the segment's number, 1 or more
 * @param firstRecord how many records the log had been given before
 * @param oldBytes how long the file was when it became this segment's: up to there it has what it
 *     held before, where the segment has not yet written
 */
public record SegmentHeader(int shard, long logId, int segment, long firstRecord, int oldBytes) {
  /** What is kept for headers at the start of the file, in bytes. */
  public static final int SPACE = 1024;

  /** The second one had no records of type RETURNED, the third one none of type QUEUE. */
  static final int VERSION = 4;

  /** Segments of this version and later ones are listed in a {@link SegmentManifest}. */
  static final int FIRST_WITH_MANIFEST = 4;

  /** Without the number of old bytes, of which there were none. */
  private static final int FIRST_VERSION = 1;

  private static final long MAGIC = 0x4753_594c_4659_414dL; // "MAYFLYSG"
  private static final int COPY = 512;
  private static final int CHECKED = 40;
  private static final int CHECKED_FIRST = 36;

  /** The header of a segment whose file is new. */
  public SegmentHeader(int shard, long logId, int segment, long firstRecord) {
    this(shard, logId, segment, firstRecord, 0);
  }

  /** The header of the same segment in a file that has held something else. */
  SegmentHeader over(int bytes) {
    return new SegmentHeader(shard, logId, segment, firstRecord, bytes);
  }

  /** What the checks of the segment's records follow from. */
  public long key() {
    return RecordFormat.segmentKey(logId, segment);
  }

  /** Writes both copies at the start of the file. */
  public void store(LogFile file) throws IOException {
    ByteBuffer buffer = RecordFormat.littleEndian(ByteBuffer.allocate(SPACE));
    for (int at = 0; at < SPACE; at += COPY) {
      buffer.putLong(at, MAGIC);
      buffer.putInt(at + 8, VERSION);
      buffer.putInt(at + 12, shard);
      buffer.putLong(at + 16, logId);
      buffer.putInt(at + 24, segment);
      buffer.putLong(at + 28, firstRecord);
      buffer.putInt(at + 36, oldBytes);
      buffer.putInt(at + CHECKED, crc(buffer, at, CHECKED));
    }
    file.write(buffer, 0);
  }

  /**
   * Reads a file's header.
   *
   * @return how many good copies there are and what they say
   * @throws IOException if it cannot be read, or was written by a newer version
   */
  public static Found read(LogFile file, String name) throws IOException {
    ByteBuffer buffer = RecordFormat.littleEndian(ByteBuffer.allocate(SPACE));
    file.read(buffer, 0);
    SegmentHeader header = null;
    int copies = 0;
    int newest = 0;
    for (int at = 0; at < SPACE; at += COPY) {
      int version = buffer.getInt(at + 8);
      int checked = version == FIRST_VERSION ? CHECKED_FIRST : CHECKED;
      if (buffer.getLong(at) == MAGIC && buffer.getInt(at + checked) == crc(buffer, at, checked)) {
        if (version > VERSION) {
          throw new IOException(
              name
                  + " has format version "
                  + version
                  + ": it was written by a newer MayflyMQ, this one reads up to "
                  + VERSION);
        }
        copies++;
        newest = version;
        header =
            new SegmentHeader(
                buffer.getInt(at + 12),
                buffer.getLong(at + 16),
                buffer.getInt(at + 24),
                buffer.getLong(at + 28),
                version == FIRST_VERSION ? 0 : buffer.getInt(at + 36));
      }
    }
    return new Found(header, copies, newest);
  }

  private static int crc(ByteBuffer buffer, int at, int length) {
    CRC32C crc = new CRC32C();
    for (int i = 0; i < length; i++) {
      crc.update(buffer.get(at + i));
    }
    return (int) crc.getValue();
  }

  /**
   * A header as it was found.
   *
   * @param header what it says; null if no copy is good
   * @param copies how many copies are good, 0 to 2
   * @param version the version that wrote it; 0 if no copy is good
   */
  public record Found(SegmentHeader header, int copies, int version) {}
}
