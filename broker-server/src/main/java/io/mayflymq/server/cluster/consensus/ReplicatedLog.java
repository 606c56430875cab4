package io.mayflymq.server.cluster.consensus;

import java.util.concurrent.CompletableFuture;

/**
 * Replicates entries: every member applies the same entries in the same order. Any thread may call;
 * no method but {@link #close} blocks. What waits for a future must not block its thread.
 */
public interface ReplicatedLog extends AutoCloseable {
  /**
   * Proposes an entry, on any member. It is retried over changes of leader, and applied once all
   * the same. Entries that are proposed before others are committed may be committed in another
   * order.
   *
   * @param entry at most {@link ConsensusLimits#maxEntryBytes} long; not to be changed afterwards
   * @return the position of the entry, when it is committed; it need not have been applied here
   *     yet. Fails within {@link ConsensusTimes#proposalMillis} with {@link NoMajorityException},
   *     after which it is unknown whether the entry will be committed, or with {@link
   *     ConsensusException} if it is certain that it will not.
   */
  CompletableFuture<LogPosition> propose(byte[] entry);

  /** Returns what this node knows at the moment. */
  ConsensusStatus status();

  /**
   * Returns whether this node is the leader and no other can be: a majority of the members has
   * confirmed it within the shortest election timeout.
   */
  boolean leads();

  /**
   * The process of a node has ended. If it led, another member is elected without waiting for the
   * election timeout.
   *
   * @param node its name
   * @return whether this member asks for votes, or will if no other one is elected soon
   */
  boolean ended(String node);

  /** Adds what is told about changes. It is told the present leader and members first. */
  void listen(ConsensusListener listener);

  /**
   * Adds a member, which must have fetched the state and run already. Does nothing if it is one.
   *
   * @return done when a majority of the members, the new one among them, has agreed. Fails with
   *     {@link ConsensusException} if another member has the name, the node cannot be reached, or
   *     another change is in progress; with {@link NoMajorityException} as {@link #propose} does.
   */
  CompletableFuture<Void> addMember(Member member);

  /**
   * Removes a member. If it is the leader, another member becomes leader first.
   *
   * @param name the name of its node
   * @return done when a majority of the remaining members has agreed. Fails as {@link #addMember}
   *     does, and if there is no such member, or no other one.
   */
  CompletableFuture<Void> removeMember(String name);

  /**
   * Makes a member the leader.
   *
   * @param name the name of its node
   * @return done when it leads. Fails with {@link ConsensusException} if it is not a member or does
   *     not take over in time.
   */
  CompletableFuture<Void> transferLeadership(String name);

  /** Stops taking part. What waits fails. The caller must not be a listener or applier. */
  @Override
  void close();
}
