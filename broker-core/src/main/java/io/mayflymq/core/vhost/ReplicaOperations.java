package io.mayflymq.core.vhost;

import java.util.concurrent.CompletableFuture;

/**
 * What operators do with the replicas of a partition. Any node can be asked, and any thread may
 * call. All fail with a {@link io.mayflymq.protocol.types.ChannelException} 404 or 406, which says
 * why, and as a change of metadata does.
 */
public interface ReplicaOperations {
  /**
   * Has another replica lead, which is in sync.
   *
   * @param node its name
   * @return done when it does
   */
  CompletableFuture<Void> transfer(int partition, String node);

  /**
   * Has a further node keep the partition. It takes over everything, and is in sync later.
   *
   * @param node its name
   * @return done when that is agreed upon, at once if the node keeps it already
   */
  CompletableFuture<Void> add(int partition, String node);

  /**
   * Has a node keep the partition no more. If it leads, another one leads first. Not without a
   * majority of the others in sync.
   *
   * @param node its name
   * @return done when that is agreed upon, at once if the node does not keep it
   */
  CompletableFuture<Void> remove(int partition, String node);

  /**
   * Has further nodes keep the partition, of those that can be reached and are not in maintenance
   * mode, until it has as many replicas or there is no further node.
   *
   * @param size how many replicas it is to have
   * @return done when that is agreed upon, at once if it has as many
   */
  CompletableFuture<Void> grow(int partition, int size);

  /**
   * Checks that the other replicas can only be given up: those that can be reached are no majority,
   * and this node keeps the best one of them.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 406 if not
   */
  void requireLostMajority(int partition);

  /**
   * Has the replica on this node go on alone. What it does not have is given up.
   *
   * @return done when that is agreed upon; fails as {@link #requireLostMajority}
   */
  CompletableFuture<Void> goOnAlone(int partition);
}
