package io.mayflymq.cluster.replication;

import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.store.BurstId;
import java.util.Map;

/** What a replica brings about. Must not call the replica back, except from another task. */
interface ReplicaEffects {
  /**
   * Sends a message to a follower, over the connection whose beginning {@link
   * ReplicaMachine#connected} was told.
   */
  void send(int follower, ReplicationMessage.ToFollower message);

  /** Returns the leases of its queues, always the same: it sends and receives them. */
  QueueLeases leases();

  /** Returns the time of the partition while this node leads, in ms since the epoch. */
  long timeMillis();

  /**
   * The leader that is followed has sent the time of the partition.
   *
   * @param timeMillis in ms since the epoch
   * @param sentAt when that was, in ms by the leader's monotonic clock
   */
  void heardTime(long timeMillis, long sentAt);

  /**
   * Sends all that the partition has, as {@link ReplicationMessage.Copy}, to a follower, then calls
   * {@link ReplicaMachine#tookOver}.
   *
   * @param streamEnds as in {@link ReplicationMessage.TakesOver}, which it has answered
   */
  void startTakeOver(int follower, Map<Long, Long> streamEnds);

  /**
   * Proposes a change to the cluster, again and again until the assignment has another revision
   * than the one that it changes.
   */
  void propose(AssignmentChange change);

  /**
   * Reports to the node that elects leaders that this replica knows of no leader. The report may be
   * lost: it is repeated.
   *
   * @param epoch the last one that it knows by the assignment
   * @param last the last burst that it has
   * @param isCandidate whether it may be elected
   */
  void reportLeaderless(long epoch, BurstId last, boolean isCandidate);

  /** All bursts up to this one are committed: this node leads. */
  void committed(long number);

  /** This node leads from now on. Its log has the first burst of the epoch. */
  void leads(long epoch);

  /**
   * This node leads no more. What is not committed may be undone from now on.
   *
   * @param reason for the log
   */
  void leadsNoMore(String reason);
}
