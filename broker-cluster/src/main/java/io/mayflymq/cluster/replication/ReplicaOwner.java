package io.mayflymq.cluster.replication;

import java.util.Map;

/**
 * What a replica is kept for: the queues of a partition. Called in bursts of the partition's shard.
 * Must not call the replica back, except from another task.
 */
public interface ReplicaOwner {
  /** This node leads from now on. */
  void leads(long epoch);

  /** All bursts up to this one are committed, while this node leads. */
  void committed(long number);

  /**
   * A follower is to be sent all that there is: {@link ReplicaDriver#sendCopy} for each part, then
   * {@link ReplicaDriver#copySent}.
   *
   * @param streamEnds as in {@link ReplicationMessage.TakesOver}
   */
  void copyTo(int node, Map<Long, Long> streamEnds);

  /** Called in each heartbeat: the time of the partition may differ from the clock of this node. */
  void keepTime();

  /**
   * This node leads no more. What is not committed may be undone from now on.
   *
   * @param reason for the log
   */
  void leadsNoMore(String reason);
}
