package io.mayflymq.core.store.segment;

/**
 * What can be set about a log.
 *
 * @param shard the number of the shard that owns it; written into the files
 * @param segmentBytes the length at which a segment ends and the next begins, 2 KiB to 1 GiB; a
 *     larger record has a segment to itself
 * @param bufferBytes the size of a write buffer, 256 bytes or more: what is written at once at most
 * @param sync when a commit is safe
 */
public record LogOptions(int shard, int segmentBytes, int bufferBytes, Sync sync) {
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

  /** Segments of 64 MiB, buffers of 256 KiB. */
  public static LogOptions defaults(int shard, Sync sync) {
    return new LogOptions(shard, 64 << 20, 256 << 10, sync);
  }
}
