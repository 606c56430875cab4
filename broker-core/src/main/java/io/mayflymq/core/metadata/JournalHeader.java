package io.mayflymq.core.metadata;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The first bytes of each copy of the journal. They distinguish the files of one data directory
 * from those of others:
 *
 * <pre>
 * magic    8 bytes: MAYFLYMD
 * version  4 bytes
 * id      16 bytes
 * CRC-32C  4 bytes, of the bytes above
 * </pre>
 */
final class JournalHeader {
  static final int BYTES = 32;
  private static final long MAGIC = 0x4d4159464c594d44L;
  private static final int VERSION = 1;
  private static final int CHECKED_BYTES = 28;

  private JournalHeader() {}

  static ByteBuffer encode(UUID directory) {
    ByteBuffer header = ByteBuffer.allocate(BYTES);
    header.putLong(MAGIC).putInt(VERSION);
    header.putLong(directory.getMostSignificantBits()).putLong(directory.getLeastSignificantBits());
    return header.putInt(crc(header)).flip();
  }

  /**
   * Returns the id of the data directory to which a file belongs; null if its header is damaged.
   */
  static UUID decode(ByteBuffer file) {
    if (file.limit() < BYTES
        || file.getLong(0) != MAGIC
        || file.getInt(8) != VERSION
        || file.getInt(CHECKED_BYTES) != crc(file)) {
      return null;
    }
    return new UUID(file.getLong(12), file.getLong(20));
  }

  private static int crc(ByteBuffer file) {
    CRC32C crc = new CRC32C();
    crc.update(file.duplicate().clear().slice(0, CHECKED_BYTES));
    return (int) crc.getValue();
  }
}
