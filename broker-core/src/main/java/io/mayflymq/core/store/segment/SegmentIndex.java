package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The index of a complete segment, see {@link IndexBuilder}, and its file: a header, the entries,
 * and a CRC32C of both.
 */
final class SegmentIndex {
  private static final long MAGIC = 0x5849_594c_4659_414dL; // "MAYFLYIX"
  private static final int VERSION = 1;

  /** Added if the segment is that of a replica. */
  private static final int REPLICATED = 1;

  /** Added if entries are repeated: releases up to 0.2.0 read the segment instead. */
  private static final int REPEATS = 2;

  private static final int NEWEST = VERSION + REPLICATED + REPEATS;

  private static final int HEADER = 48;

  private final SegmentHeader header;
  private final int segmentLength;
  private final int records;
  private final boolean repeats;
  private final byte[] entries;
  private final int size;

  /**
   * @param repeats whether any entry is repeated
   */
  SegmentIndex(
      SegmentHeader header,
      int segmentLength,
      int records,
      boolean repeats,
      byte[] entries,
      int size) {
    this.header = header;
    this.segmentLength = segmentLength;
    this.records = records;
    this.repeats = repeats;
    this.entries = entries;
    this.size = size;
  }

  public SegmentHeader header() {
    return header;
  }

  /** The length of the segment in bytes. */
  public int segmentLength() {
    return segmentLength;
  }

  public int records() {
    return records;
  }

  public IndexCursor cursor() {
    return new IndexCursor(header.segment(), entries, size);
  }

  /** Writes the index into its file. It is not forced: a torn write is detected by the CRC. */
  public void store(LogDirectory directory) throws IOException {
    ByteBuffer head = RecordFormat.littleEndian(ByteBuffer.allocate(HEADER));
    head.putLong(MAGIC).putInt(version());
    head.putInt(header.shard()).putLong(header.logId());
    head.putInt(header.segment()).putInt(segmentLength).putLong(header.firstRecord());
    head.putInt(records).putInt(size);
    ByteBuffer tail = RecordFormat.littleEndian(ByteBuffer.allocate(4));
    tail.putInt(crc(head.array(), entries, size));
    try (LogFile file = directory.create(SegmentNames.index(header.segment()))) {
      file.write(head.flip(), 0);
      file.write(ByteBuffer.wrap(entries, 0, size), HEADER);
      file.write(tail.flip(), HEADER + (long) size);
    }
  }

  private int version() {
    return VERSION + (header.replicated() ? REPLICATED : 0) + (repeats ? REPEATS : 0);
  }

  /** Reads an index from its file; null if it is damaged or belongs to another segment. */
  public static SegmentIndex load(LogFile file, int segment) throws IOException {
    long length = file.size();
    ByteBuffer head = RecordFormat.littleEndian(ByteBuffer.allocate(HEADER));
    if (file.read(head, 0) < HEADER
        || head.getLong(0) != MAGIC
        || head.getInt(8) < VERSION
        || head.getInt(8) > NEWEST
        || head.getInt(24) != segment
        || head.getInt(44) < 0
        || HEADER + head.getInt(44) + 4L != length) {
      return null;
    }
    int size = head.getInt(44);
    byte[] entries = new byte[size];
    ByteBuffer tail = RecordFormat.littleEndian(ByteBuffer.allocate(4));
    if (file.read(ByteBuffer.wrap(entries), HEADER) < size
        || file.read(tail, HEADER + (long) size) < 4
        || tail.getInt(0) != crc(head.array(), entries, size)) {
      return null;
    }
    SegmentHeader header =
        new SegmentHeader(head.getInt(12), head.getLong(16), segment, head.getLong(32));
    int added = head.getInt(8) - VERSION;
    if ((added & REPLICATED) != 0) {
      header = header.ofReplica();
    }
    boolean repeats = (added & REPEATS) != 0;
    return new SegmentIndex(header, head.getInt(28), head.getInt(40), repeats, entries, size);
  }

  /** Whether a file is shorter than its index: its writing was interrupted. */
  public static boolean isUnfinished(LogFile file) throws IOException {
    ByteBuffer head = RecordFormat.littleEndian(ByteBuffer.allocate(HEADER));
    return file.read(head, 0) < HEADER
        || (head.getLong(0) == MAGIC && file.size() < HEADER + head.getInt(44) + 4L);
  }

  private static int crc(byte[] head, byte[] entries, int size) {
    CRC32C crc = new CRC32C();
    crc.update(head);
    crc.update(entries, 0, size);
    return (int) crc.getValue();
  }
}
