package io.mayflymq.server.cluster.consensus;

/**
 * Sizes of the replicated log.
 *
 * @param maxEntryBytes the largest entry that can be proposed, in bytes. A buffer of this size is
 *     kept in memory.
 * @param segmentBytes the size at which a file of the log ends, in bytes; as much is cached
 * @param keptEntries how many applied entries the log keeps at least, so that a member that was
 *     away for a short time needs not fetch the whole state
 */
public record ConsensusLimits(int maxEntryBytes, int segmentBytes, int keptEntries) {
  /** For production. */
  public static final ConsensusLimits DEFAULT = new ConsensusLimits(4 << 20, 8 << 20, 4_096);

  /**
   * @throws IllegalArgumentException if one is not positive
   */
  public ConsensusLimits {
    if (maxEntryBytes < 1 || segmentBytes < 1 || keptEntries < 1) {
      throw new IllegalArgumentException(
          "entries of %d bytes, segments of %d bytes, %d kept entries: expected 1 or more of each"
              .formatted(maxEntryBytes, segmentBytes, keptEntries));
    }
  }
}
