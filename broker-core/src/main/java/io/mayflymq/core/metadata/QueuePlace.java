package io.mayflymq.core.metadata;

/**
 * Where a queue is.
 *
 * @param member the number of the cluster's member that it is on; {@link #FIRST_MEMBER} without a
 *     cluster
 * @param partition the number of the partition there
 */
public record QueuePlace(int member, int partition) {
  /** The number of a broker that is alone, and of the one that a cluster began with. */
  public static final int FIRST_MEMBER = 0;

  /** Returns a place on a broker that is alone. */
  public static QueuePlace alone(int partition) {
    return new QueuePlace(FIRST_MEMBER, partition);
  }
}
