package io.mayflymq.core.store.segment.file;

/**
 * What can be set about a log.
 *
 * @param shard the number of the shard that owns it; written into the files
 * @param segmentBytes the length at which a segment ends and the next begins, 2 KiB to 1 GiB; a
 *     larger record has a segment to itself
 * @param bufferBytes the size of a write buffer, 256 bytes or more: what is written at once at most
 * @param sync when a commit is safe
 * @param identity what its files are known by; null for a log that does not outlive the process,
 *     which has no {@link SegmentManifest}
 * @param acceptsLoss whether it opens although files are missing
 */
public record LogOptions(
    int shard,
    int segmentBytes,
    int bufferBytes,
    Sync sync,
    LogIdentity identity,
    boolean acceptsLoss) {
  /** What commits wait for. */
  public enum Sync {
    /** For the disk: a commit survives the crash of the machine. */
    ALWAYS,
    /** For the operating system: a commit survives the end of the process in any way. */
    NEVER
  }

  /** Checks the ranges. */
  public LogOptions {
    if (segmentBytes < 2048 || segmentBytes > 1 << 30) {
      throw new IllegalArgumentException("a segment of " + segmentBytes + " bytes");
    }
    if (bufferBytes < 256) {
      throw new IllegalArgumentException("a buffer of " + bufferBytes + " bytes");
    }
  }

  /** The options of a log that does not outlive the process. */
  public LogOptions(int shard, int segmentBytes, int bufferBytes, Sync sync) {
    this(shard, segmentBytes, bufferBytes, sync, null, false);
  }

  /** Segments of 64 MiB, buffers of 256 KiB. */
  public static LogOptions defaults(int shard, Sync sync) {
    return new LogOptions(shard, 64 << 20, 256 << 10, sync);
  }

  /** The same for a log that is kept, under this identity. */
  public LogOptions of(LogIdentity known) {
    return new LogOptions(shard, segmentBytes, bufferBytes, sync, known, acceptsLoss);
  }

  /** The same for a log that opens although files are missing. */
  public LogOptions acceptingLoss() {
    return new LogOptions(shard, segmentBytes, bufferBytes, sync, identity, true);
  }
}
