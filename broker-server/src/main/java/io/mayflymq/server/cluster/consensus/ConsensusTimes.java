package io.mayflymq.server.cluster.consensus;

/**
 * How long to wait, in milliseconds.
 *
 * @param electionMinMillis how long a follower waits at least for the leader before it becomes a
 *     candidate; the leader sends a heartbeat after half of it. 100 or more.
 * @param electionMaxMillis how long it waits at most, more than the minimum; a leader that has not
 *     reached a majority for so long steps down
 * @param proposalMillis after which time a proposal fails, at least the maximum above
 */
public record ConsensusTimes(int electionMinMillis, int electionMaxMillis, int proposalMillis) {
  /** For production: Java may stop for hundreds of milliseconds on a busy machine. */
  public static final ConsensusTimes DEFAULT = new ConsensusTimes(1_000, 2_000, 10_000);

  /**
   * @throws IllegalArgumentException if the times contradict each other
   */
  public ConsensusTimes {
    if (electionMinMillis < 100
        || electionMaxMillis <= electionMinMillis
        || proposalMillis < electionMaxMillis) {
      throw new IllegalArgumentException(
          ("election timeout of %d to %d ms with a proposal timeout of %d ms: expected 100 ms or"
                  + " more, each longer than the one before")
              .formatted(electionMinMillis, electionMaxMillis, proposalMillis));
    }
  }
}
