package io.mayflymq.core.store.segment;

/**
 * The settings of a log.
 *
 * @param shard the number of the shard that owns it; written into the files
 * @param segmentBytes the length at which a segment ends and the next begins, 2 KiB to 1 GiB; a
 *     larger record has a segment to itself
 * @param bufferBytes the size of a write buffer, 256 bytes or more: the largest single write
 * @param sync when a commit is safe
 * @param identity identifies its files; null for a temporary log, which has no {@link
 *     SegmentManifest}
 * @param acceptsLoss whether it opens although files are missing
 * @param replicated whether its records are parts of numbered bursts, which other nodes have too;
 *     such a log has an identity
 */
public record LogOptions(
    int shard,
    int segmentBytes,
    int bufferBytes,
    Sync sync,
    LogIdentity identity,
    boolean acceptsLoss,
    boolean replicated) {
  /** The condition under which a commit is safe. */
  public enum Sync {
    /** Forced to the disk: a commit survives a crash of the machine. */
    ALWAYS,
    /** Written to the operating system: a commit survives any end of the process. */
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
    if (replicated && identity == null) {
      throw new IllegalArgumentException("a replicated log without identity");
    }
  }

  /** Creates the options of a temporary log. */
  public LogOptions(int shard, int segmentBytes, int bufferBytes, Sync sync) {
    this(shard, segmentBytes, bufferBytes, sync, null, false, false);
  }

  /** Segments of 64 MiB, buffers of 256 KiB. */
  public static LogOptions defaults(int shard, Sync sync) {
    return new LogOptions(shard, 64 << 20, 256 << 10, sync);
  }

  /** Returns the same options for a permanent log with this identity. */
  public LogOptions of(LogIdentity known) {
    return new LogOptions(shard, segmentBytes, bufferBytes, sync, known, acceptsLoss, replicated);
  }

  /** Returns the same options for a log that is opened although files are missing. */
  public LogOptions acceptingLoss() {
    return new LogOptions(shard, segmentBytes, bufferBytes, sync, identity, true, replicated);
  }

  /** Returns the same options for the log of a replica. */
  public LogOptions ofReplica() {
    return new LogOptions(shard, segmentBytes, bufferBytes, sync, identity, acceptsLoss, true);
  }
}
