package io.mayflymq.core.metadata;

import java.util.List;
import java.util.Set;

/**
 * A change of an {@link Assignment}. It applies only to the revision for which it was proposed, so
 * of several that are proposed at once one applies.
 */
public sealed interface AssignmentChange {
  /** Returns the revision of the assignment that it changes. */
  long revision();

  /**
   * Another replica leads, in the next epoch.
   *
   * @param leader one that is in sync
   * @param inSync those of the replicas in sync that stay so
   */
  record Elected(long revision, int leader, Set<Integer> inSync) implements AssignmentChange {
    public Elected {
      inSync = Set.copyOf(inSync);
    }
  }

  /**
   * Other replicas are in sync. Proposed by the leader only: it knows who has what it has
   * committed.
   */
  record InSync(long revision, Set<Integer> inSync) implements AssignmentChange {
    public InSync {
      inSync = Set.copyOf(inSync);
    }
  }

  /**
   * One of the replicas goes on alone, in the next epoch, as the others are lost for ever. What it
   * does not have is given up, also if it was committed: only operators decide that.
   *
   * @param replica in sync or not
   */
  record Alone(long revision, int replica) implements AssignmentChange {}

  /**
   * Other nodes keep the partition. Those that do not any more are not in sync either: it does not
   * apply if one of them leads, or if fewer than a majority of the new replicas were left in sync.
   * New ones are not in sync.
   */
  record Replicas(long revision, List<Integer> replicas) implements AssignmentChange {
    public Replicas {
      replicas = List.copyOf(replicas);
    }
  }
}
