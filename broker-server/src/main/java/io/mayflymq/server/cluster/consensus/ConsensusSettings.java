package io.mayflymq.server.cluster.consensus;

import java.nio.file.Path;
import java.util.UUID;

/**
 * What a member of the consensus needs to know at its start.
 *
 * @param directory where its log is, used by one process at a time
 * @param group the UUID of the cluster: members of another one are refused
 * @param self this node
 */
public record ConsensusSettings(
    Path directory,
    UUID group,
    Member self,
    StartMode mode,
    ConsensusTimes times,
    ConsensusLimits limits) {
  /** How a member starts. */
  public enum StartMode {
    /**
     * As the only member of a new cluster; others are added later. Returns when the member leads.
     * Can be repeated after a crash.
     */
    BOOTSTRAP,
    /** With an empty log: the node waits for a leader that adds it. Can be repeated likewise. */
    JOIN,
    /** With the log that it has. Fails if that is missing. */
    RESTART
  }
}
