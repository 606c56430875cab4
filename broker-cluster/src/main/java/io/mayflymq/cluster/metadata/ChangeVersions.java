package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Assigning;
import io.mayflymq.core.metadata.MetadataCommand.PolicySet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueForgotten;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.MetadataCommand.QueueRedefined;
import io.mayflymq.core.metadata.MetadataCommand.QueueReturned;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.policy.PolicyKey;
import java.util.List;

/**
 * The versions of changes that this build reads and writes: of the entries of the replicated log,
 * and of the commands in them.
 *
 * <p>A node writes the version that all members know, so nodes of two releases can be members at
 * once. A release that adds a command, or changes the layout of one, raises {@link #highest}, and
 * writes what is new only in changes of that version.
 */
public final class ChangeVersions {
  /** The first version in which queues can be moved. */
  public static final int OF_MOVES = 2;

  /** The first version in which partitions have replicas. */
  public static final int OF_REPLICAS = 3;

  /**
   * The first version in which queues take arguments over from later declarations, policies are for
   * many virtual hosts, and deleted queues can be brought back.
   */
  public static final int OF_ADOPTIONS = 4;

  private ChangeVersions() {}

  /** Returns the version that all members have to know before these commands are proposed. */
  static int of(List<? extends MetadataCommand> commands) {
    if (commands.stream().anyMatch(ChangeVersions::isOfAdoptions)) {
      return OF_ADOPTIONS;
    }
    return commands.stream().anyMatch(ChangeVersions::isOfReplicas) ? OF_REPLICAS : lowest();
  }

  private static boolean isOfAdoptions(MetadataCommand command) {
    return command instanceof QueueRedefined
        || command instanceof QueueKept
        || command instanceof QueueForgotten
        || command instanceof QueueReturned
        || command instanceof VhostPolicySet
        || command instanceof VhostPolicyCleared
        || (command instanceof PolicySet set
            && set.policy().definition().get(PolicyKey.ON_MISMATCH) != null);
  }

  private static boolean isOfReplicas(MetadataCommand command) {
    return command instanceof Assigning
        || (command instanceof QueueDeclared declared && declared.place().isReplicated())
        || (command instanceof QueueMoving moving && moving.to().isReplicated());
  }

  /** Returns the lowest version that is read; 1 or higher. */
  public static int lowest() {
    return 1;
  }

  /** Returns the highest version that is read and written; at most 127. */
  public static int highest() {
    return OF_ADOPTIONS;
  }
}
