package io.mayflymq.core.metadata;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * A checked piece of the journal: a commit, or a part of a snapshot.
 *
 * <pre>
 * magic     4 bytes
 * kind      4 bytes: 1 a commit, 2 a part of a snapshot
 * length    4 bytes, of the payload
 * CRC-32C   4 bytes, of the directory's id, kind, length, sequence and payload
 * sequence  8 bytes, of the commit; of a snapshot that of the last commit that it contains
 * payload   entries; of a snapshot after the part's index and the number of parts, 4 bytes each
 * </pre>
 *
 * @param sequence the number of the commit
 * @param index which part of a snapshot, from 0; {@link #COMMIT} for a commit
 * @param parts how many parts the snapshot has; 0 for a commit
 * @param entries its entries; read them from a duplicate
 * @param from where it begins in its file, in bytes
 * @param to where it ends
 */
record Frame(long sequence, int index, int parts, ByteBuffer entries, int from, int to) {
  static final int COMMIT = -1;
  private static final int MAGIC = 0x4d464652;
  private static final int KIND_COMMIT = 1;
  private static final int KIND_PART = 2;
  private static final int HEAD = 24;
  private static final int PART_HEAD = 8;

  boolean isCommit() {
    return index == COMMIT;
  }

  static ByteBuffer commit(UUID directory, long sequence, byte[] entries) {
    return encode(directory, KIND_COMMIT, sequence, entries);
  }

  static ByteBuffer part(UUID directory, long sequence, int index, int parts, byte[] entries) {
    ByteBuffer payload = ByteBuffer.allocate(PART_HEAD + entries.length);
    payload.putInt(index).putInt(parts).put(entries);
    return encode(directory, KIND_PART, sequence, payload.array());
  }

  private static ByteBuffer encode(UUID directory, int kind, long sequence, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(HEAD + payload.length);
    frame.putInt(MAGIC).putInt(kind).putInt(payload.length);
    frame.putInt(crc(directory, kind, sequence, ByteBuffer.wrap(payload))).putLong(sequence);
    return frame.put(payload).flip();
  }

  private static int crc(UUID directory, int kind, long sequence, ByteBuffer payload) {
    ByteBuffer head = ByteBuffer.allocate(32);
    head.putLong(directory.getMostSignificantBits()).putLong(directory.getLeastSignificantBits());
    head.putInt(kind).putInt(payload.remaining()).putLong(sequence);
    CRC32C crc = new CRC32C();
    crc.update(head.flip());
    crc.update(payload);
    return (int) crc.getValue();
  }

  /** Returns the frame that begins at a position; null if there is no complete one. */
  static Frame at(ByteBuffer file, int from, UUID directory) {
    if (from > file.limit() - HEAD || file.getInt(from) != MAGIC) {
      return null;
    }
    int kind = file.getInt(from + 4);
    int length = file.getInt(from + 8);
    long sequence = file.getLong(from + 16);
    if (length < 0 || length > file.limit() - HEAD - from) {
      return null;
    }
    ByteBuffer payload = file.slice(from + HEAD, length);
    if (crc(directory, kind, sequence, payload.duplicate()) != file.getInt(from + 12)) {
      return null;
    }
    int to = from + HEAD + length;
    if (kind == KIND_COMMIT) {
      return new Frame(sequence, COMMIT, 0, payload, from, to);
    }
    int index = payload.getInt();
    int parts = payload.getInt();
    return new Frame(sequence, index, parts, payload.slice(), from, to);
  }
}
