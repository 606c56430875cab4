package io.mayflymq.cluster.replication;

import io.mayflymq.core.metadata.AssignmentChange;
import java.util.Map;

/** What a leader brings about. Must not call the leader back, except from another task. */
interface LeaderEffects {
  /** Sends a message to a replica, over the connection whose beginning the leader was told. */
  void send(int replica, ReplicationMessage.ToFollower message);

  /** Returns the time of the partition, in ms since the epoch; 0 if it is not known. */
  long timeMillis();

  /**
   * Sends all that the partition has, as {@link ReplicationMessage.Copy}, to a replica, then calls
   * {@link PartitionLeader#tookOver}.
   *
   * @param streamEnds as in {@link ReplicationMessage.TakesOver}, which it has answered
   */
  void startTakeOver(int replica, Map<Long, Long> streamEnds);

  /**
   * Proposes a change of the replicas in sync to the cluster, again and again until the assignment
   * has another revision than the one that it changes.
   */
  void propose(AssignmentChange.InSync change);

  /**
   * All bursts up to this one are committed: they can be confirmed, and their messages delivered.
   */
  void committed(long number);

  /**
   * Another replica should lead.
   *
   * @param reason for the log
   */
  void relieve(String reason);
}
