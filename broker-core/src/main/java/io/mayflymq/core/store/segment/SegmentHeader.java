package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The header at the start of a segment. It is stored twice, in different sectors, since without it
 * nothing in the segment can be read.
 *
 * @param shard the shard whose log it is
 * @param logId a random number that the log's segments share
 * @param segment the segment's number, 1 or more
 * @param firstRecord how many records the log had before this segment
 * @param oldBytes the length of the file when this segment reused it: up to there, unwritten parts
 *     contain old bytes
 * @param replicated whether it belongs to the log of a replica
 */
public record SegmentHeader(
    int shard, long logId, int segment, long firstRecord, int oldBytes, boolean replicated) {
  /** The size of the space for headers at the start of the file, in bytes. */
  public static final int SPACE = 1024;

  /** The second version had no records of type RETURNED, the third one none of type QUEUE. */
  static final int VERSION = 4;

  /** Segments of replicas have this version: they have records that others do not have. */
  private static final int REPLICATED = 5;

  /** Segments of this version and later ones are listed in a {@link SegmentManifest}. */
  static final int FIRST_WITH_MANIFEST = 4;

  /** This version had no number of old bytes, as files were not reused. */
  private static final int FIRST_VERSION = 1;

  private static final long MAGIC = 0x4753_594c_4659_414dL; // "MAYFLYSG"
  private static final int COPY = 512;
  private static final int CHECKED = 40;
  private static final int CHECKED_FIRST = 36;

  /** Creates the header of a segment in a new file. */
  public SegmentHeader(int shard, long logId, int segment, long firstRecord) {
    this(shard, logId, segment, firstRecord, 0, false);
  }

  /** Returns the header of the same segment in the log of a replica. */
  public SegmentHeader ofReplica() {
    return new SegmentHeader(shard, logId, segment, firstRecord, oldBytes, true);
  }

  /** Returns the header of the same segment in a reused file. */
  SegmentHeader over(int bytes) {
    return new SegmentHeader(shard, logId, segment, firstRecord, bytes, replicated);
  }

  /** Returns the key from which the checks of the segment's records are computed. */
  public long key() {
    return RecordFormat.segmentKey(logId, segment);
  }

  /** Writes both copies at the start of the file. */
  public void store(LogFile file) throws IOException {
    ByteBuffer buffer = RecordFormat.littleEndian(ByteBuffer.allocate(SPACE));
    for (int at = 0; at < SPACE; at += COPY) {
      buffer.putLong(at, MAGIC);
      buffer.putInt(at + 8, replicated ? REPLICATED : VERSION);
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
   * @return how many copies are intact, and their content
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
        if (version > REPLICATED) {
          throw new IOException(
              name
                  + " has format version "
                  + version
                  + ": it was written by a newer MayflyMQ, this one reads up to "
                  + REPLICATED);
        }
        copies++;
        newest = version;
        header =
            new SegmentHeader(
                buffer.getInt(at + 12),
                buffer.getLong(at + 16),
                buffer.getInt(at + 24),
                buffer.getLong(at + 28),
                version == FIRST_VERSION ? 0 : buffer.getInt(at + 36),
                version == REPLICATED);
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
   * The result of reading a header.
   *
   * @param header the header; null if no copy is intact
   * @param copies how many copies are intact, 0 to 2
   * @param version the version that wrote it; 0 if no copy is intact
   */
  public record Found(SegmentHeader header, int copies, int version) {}
}
