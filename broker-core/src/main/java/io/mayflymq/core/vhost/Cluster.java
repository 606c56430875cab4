package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** The cluster of a broker, as its virtual hosts see it. Any thread may call. */
public interface Cluster extends ChangeOrdering {
  /**
   * A node of the cluster, as this node sees it now.
   *
   * @param isReachable whether this node has a connection to it; true for itself
   * @param isDrained whether it is in maintenance mode
   */
  record Peer(String name, boolean isReachable, boolean isDrained) {}

  /** Returns all members, in the order in which they have joined. */
  List<Peer> nodes();

  /**
   * Ends the membership of a node that is gone, with the queues that were on it.
   *
   * @param node its name
   * @return fails with a {@link io.mayflymq.protocol.types.ChannelException} 406 if it is not a
   *     member or still reachable, and as {@link #propose}
   */
  CompletableFuture<Void> forget(String node);

  /**
   * Tells all nodes that this one is in maintenance mode, or is not any more.
   *
   * @return fails as {@link #propose}
   */
  CompletableFuture<Void> setDrained(boolean drained);

  /**
   * Lets other nodes lead what this one leads: replicated partitions, as far as other nodes have
   * them in sync, and the decisions of the cluster.
   *
   * @return fails if no other node takes over
   */
  CompletableFuture<Void> handOver();

  /** Returns what changes the replicas of partitions. */
  ReplicaOperations replicaOperations();

  /** Returns whether all members know deleted queues that can be brought back. */
  boolean knowsDeletedQueues();

  /** Returns the number of this member. */
  int member();

  /**
   * Returns the number of the member that a new queue is to be on: of those that can be reached and
   * are not in maintenance mode, the one with the fewest queues; if there are many queues, any.
   */
  int leastLoadedMember();

  /**
   * Returns where a new replicated queue is to be. Its partition is made if there is none.
   *
   * @param size how many replicas it has, 1 or more; at most one on each member is made
   * @param leadsHere whether this node is to lead it; else one with the fewest queues is
   * @return its place, at once if there is a partition for it; fails as {@link #propose}. Empty if
   *     queues are not replicated now: there is no other member, or one that does not know replicas
   */
  Optional<CompletableFuture<QueuePlace>> placeOfReplicas(OptionalInt size, boolean leadsHere);

  /**
   * Returns the nodes of a replicated partition, as this node sees them now.
   *
   * @param partition its number
   */
  QueueReplicas replicasOf(int partition);

  /**
   * Returns how far the replica of a partition on this node is; null if none is open.
   *
   * @param partition its number
   */
  CompletableFuture<ReplicaState> replicaHere(int partition);

  /**
   * Asks the other nodes that can be reached how long they would keep exchanges and bindings whose
   * {@code x-expires} has ended on this one.
   *
   * @param deletions what would delete them, of one virtual host
   * @return for each the longest time that a node has told, in ms; 0 if none has seen a use. Fails
   *     if a node has not answered in time
   */
  CompletableFuture<long[]> leasesElsewhere(List<MetadataCommand> deletions);

  /**
   * Returns the number of a member that a queue is to be moved to.
   *
   * @param node its name
   * @throws io.mayflymq.protocol.types.ChannelException 404 if there is no such member, 406 if it
   *     cannot take a queue now, or a member does not know moves yet
   */
  int targetOfMove(String node);

  /**
   * Sends direct replies to who waits for them on another member, in this order. What does not get
   * there is dropped.
   *
   * @param member its number; a member that there is not gets nothing
   */
  void reply(int member, String vhost, List<DirectReply> replies);

  /**
   * Asks another member whether a consumer of its clients waits for direct replies.
   *
   * @param member its number
   * @param name the name that replies are sent to
   * @return fails if it cannot be reached
   */
  CompletableFuture<Boolean> awaitsReplies(int member, String vhost, String name);

  /** Runs a task that takes some time, on none of the shards' threads. */
  void inBackground(Runnable task);

  /** Returns what stands here for a queue that is on another member, or is replicated. */
  Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost);
}
