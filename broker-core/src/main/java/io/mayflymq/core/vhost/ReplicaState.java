package io.mayflymq.core.vhost;

import java.util.List;
import java.util.Set;

/**
 * What a replica knows of its partition at one moment. Immutable.
 *
 * @param epoch the highest epoch that it has heard of
 * @param last the number of the last batch in its log
 * @param forced the number of the last one that is forced
 * @param committed the number of the last one that it knows to be committed
 * @param inSync the nodes whose replicas are in sync, by the last assignment that it was told
 * @param leads whether it leads
 * @param mayDeliver whether it leads, and may deliver what is committed
 * @param followers what it knows of the others; empty unless it leads
 */
public record ReplicaState(
    long epoch,
    long last,
    long forced,
    long committed,
    Set<Integer> inSync,
    boolean leads,
    boolean mayDeliver,
    List<Follower> followers) {
  public ReplicaState {
    inSync = Set.copyOf(inSync);
    followers = List.copyOf(followers);
  }

  /**
   * What a leader knows of a follower.
   *
   * @param node its number
   * @param batches how many batches it has not forced, as far as is known
   * @param bytes how many bytes of these the leader has in memory
   * @param answerMillis how long ago the last message was sent that it has answered; -1 if it has
   *     answered none
   */
  public record Follower(int node, long batches, long bytes, long answerMillis) {}
}
