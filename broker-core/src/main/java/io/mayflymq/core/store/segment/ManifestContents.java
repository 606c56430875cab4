package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The contents of a {@link SegmentManifest}. Immutable.
 *
 * @param revision incremented with every change; of two copies the one with the higher revision is
 *     newer
 * @param identity identifies the log to which the files belong
 * @param logId the log's random id, which new segments get
 * @param forcedTo a location before which everything has been forced; {@link Location#NONE} if none
 *     has been noted
 * @param metadataSeen the highest sequence number of metadata that the log has seen, 0 if none
 * @param about a text of the owner, 64 KiB at most
 * @param segments the segments that must exist, and the log id in the header of each
 * @param used the highest number that a segment had had when the log was cut last; 0 if it never
 *     was
 */
record ManifestContents(
    long revision,
    LogIdentity identity,
    long logId,
    long forcedTo,
    long metadataSeen,
    String about,
    NavigableMap<Integer, Long> segments,
    int used) {
  private static final long MAGIC = 0x464d_594c_4659_414dL; // "MAYFLYMF"
  private static final int FIRST_VERSION = 1;
  private static final int VERSION = 2;
  private static final int FIXED = 8 + 4 + 4 + 8 + 16 + 2 + 8 + 8 + 8 + 4 + 4 + 4;
  private static final int RUN = 16;

  /** The length of a file is a multiple of this: a change rarely needs further disk space. */
  private static final int BLOCK = 4096;

  public ManifestContents {
    segments = Collections.unmodifiableNavigableMap(new TreeMap<>(segments));
  }

  /** Returns the manifest of an empty log. */
  public static ManifestContents empty(LogIdentity identity, long logId) {
    return new ManifestContents(
        0, identity, logId, Location.NONE, 0, "", Collections.emptyNavigableMap(), 0);
  }

  public ManifestContents with(NavigableMap<Integer, Long> changed) {
    return new ManifestContents(
        revision + 1, identity, logId, forcedTo, metadataSeen, about, changed, used);
  }

  /**
   * Returns the contents of a log that is cut.
   *
   * @param end the location at which it ends from now on, with offset 0 if its segment goes
   * @param highest the highest number that a segment has had: no later one gets it again
   */
  ManifestContents cutAt(long end, int highest) {
    return new ManifestContents(
        revision + 1,
        identity,
        logId,
        Math.min(forcedTo, end),
        metadataSeen,
        about,
        segments.headMap(Location.segment(end), Location.offset(end) > 0),
        Math.max(used, highest));
  }

  ManifestContents noting(long forced, long metadata) {
    return new ManifestContents(
        revision + 1,
        identity,
        logId,
        Math.max(forcedTo, forced),
        Math.max(metadataSeen, metadata),
        about,
        segments,
        used);
  }

  ManifestContents about(String text) {
    return new ManifestContents(
        revision + 1, identity, logId, forcedTo, metadataSeen, text, segments, used);
  }

  /** Returns the highest number of a segment that must exist; 0 if there is none. */
  public int highest() {
    return segments.isEmpty() ? 0 : segments.lastKey();
  }

  /**
   * Encodes the contents, with consecutive segments joined to runs: first number, count, log id.
   */
  byte[] encode() {
    byte[] name = identity.name().getBytes(StandardCharsets.UTF_8);
    byte[] text = about.getBytes(StandardCharsets.UTF_8);
    ByteBuffer runs = RecordFormat.littleEndian(ByteBuffer.allocate(segments.size() * RUN));
    int count = 0;
    int last = 0;
    for (Map.Entry<Integer, Long> segment : segments.entrySet()) {
      int at = runs.position() - RUN;
      if (count > 0 && segment.getKey() == last + 1 && runs.getLong(at + 8) == segment.getValue()) {
        runs.putInt(at + 4, runs.getInt(at + 4) + 1);
      } else {
        runs.putInt(segment.getKey()).putInt(1).putLong(segment.getValue());
        count++;
      }
      last = segment.getKey();
    }
    // Only a log that was cut has the number, so that older versions read the manifests of others.
    int more = used == 0 ? 0 : Integer.BYTES;
    int length = FIXED + name.length + text.length + count * RUN + more;
    int blocks = (length + BLOCK - 1) / BLOCK;
    ByteBuffer out = RecordFormat.littleEndian(ByteBuffer.allocate(blocks * BLOCK));
    out.putLong(MAGIC).putInt(used == 0 ? FIRST_VERSION : VERSION).putInt(length);
    out.putLong(revision);
    out.putLong(identity.broker().getMostSignificantBits());
    out.putLong(identity.broker().getLeastSignificantBits());
    out.putShort((short) name.length).put(name);
    out.putLong(logId).putLong(forcedTo).putLong(metadataSeen);
    out.putInt(text.length).put(text);
    out.putInt(count).put(runs.flip());
    if (used != 0) {
      out.putInt(used);
    }
    out.putInt(crc(out.array(), length - Integer.BYTES));
    return out.array();
  }

  /**
   * Decodes the result of {@link #encode}.
   *
   * @return null if it is damaged
   * @throws IOException if it was written by a newer version
   */
  static ManifestContents decode(byte[] bytes, String file) throws IOException {
    ByteBuffer in = RecordFormat.littleEndian(ByteBuffer.wrap(bytes));
    if (bytes.length < FIXED || in.getLong(0) != MAGIC) {
      return null;
    }
    int length = in.getInt(12);
    if (length < FIXED
        || length > bytes.length
        || in.getInt(length - Integer.BYTES) != crc(bytes, length - Integer.BYTES)) {
      return null;
    }
    if (in.getInt(8) > VERSION) {
      throw new IOException(
          "%s has format version %d: it was written by a newer MayflyMQ, this one reads up to %d"
              .formatted(file, in.getInt(8), VERSION));
    }
    try {
      return decode(in.limit(length - Integer.BYTES).position(16));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return null;
    }
  }

  private static ManifestContents decode(ByteBuffer in) {
    long revision = in.getLong();
    UUID broker = new UUID(in.getLong(), in.getLong());
    byte[] name = new byte[in.getShort() & 0xffff];
    in.get(name);
    long logId = in.getLong();
    long forcedTo = in.getLong();
    long metadataSeen = in.getLong();
    byte[] text = new byte[Math.min(in.getInt(), in.remaining())];
    in.get(text);
    TreeMap<Integer, Long> segments = new TreeMap<>();
    for (int runs = in.getInt(); runs > 0; runs--) {
      int first = in.getInt();
      int count = in.getInt();
      long id = in.getLong();
      for (int i = 0; i < count; i++) {
        segments.put(first + i, id);
      }
    }
    LogIdentity identity = new LogIdentity(broker, new String(name, StandardCharsets.UTF_8));
    String about = new String(text, StandardCharsets.UTF_8);
    int used = in.hasRemaining() ? in.getInt() : 0;
    return new ManifestContents(
        revision, identity, logId, forcedTo, metadataSeen, about, segments, used);
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
