package io.mayflymq.core.metadata;

/**
 * Where a queue is: in a partition of one node, or in a replicated partition, which the cluster
 * keeps on several nodes.
 *
 * @param member the number of the cluster's member that it is on; {@link #FIRST_MEMBER} without a
 *     cluster; none of a member for a replicated queue
 * @param partition the number of the partition there, or of the replicated partition
 */
public record QueuePlace(int member, int partition) {
  /** The number of a broker that is alone, and of the one that a cluster began with. */
  public static final int FIRST_MEMBER = 0;

  /** Stands for all members that keep a replicated partition; no member has it. */
  private static final int SEVERAL_MEMBERS = -1;

  /** Returns a place on a broker that is alone. */
  public static QueuePlace alone(int partition) {
    return new QueuePlace(FIRST_MEMBER, partition);
  }

  /**
   * Returns the place of a queue in a replicated partition.
   *
   * @param partition its number, the same on all nodes
   */
  public static QueuePlace replicated(int partition) {
    return new QueuePlace(SEVERAL_MEMBERS, partition);
  }

  /** Returns whether it is in a replicated partition, and so on no node alone. */
  public boolean isReplicated() {
    return member == SEVERAL_MEMBERS;
  }
}
