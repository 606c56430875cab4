package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * What the leader of a partition and a follower send each other, over one connection, in order. A
 * connection begins with {@link Lead}.
 */
public sealed interface ReplicationMessage {
  /** Returns the epoch of the leader that it is from, or to. */
  long epoch();

  /** A message of a leader. */
  sealed interface ToFollower extends ReplicationMessage {}

  /** A message of a follower. */
  sealed interface ToLeader extends ReplicationMessage {}

  /** The sender leads, and asks what the receiver has. */
  record Lead(long epoch) implements ToFollower {}

  /**
   * The answer to {@link Lead}.
   *
   * @param last the last burst that the follower has, forced or not
   */
  record Position(long epoch, BurstId last, EpochHistory history) implements ToLeader {}

  /**
   * The receiver undoes what it has behind a burst, and is sent what follows it.
   *
   * @param after the number of the last burst that both have
   */
  record Follow(long epoch, long after) implements ToFollower {}

  /**
   * Bursts, in order; without any it is a heartbeat.
   *
   * @param committed the number of the last burst that is committed
   * @param sentAt when it was sent, in ms by the leader's monotonic clock
   * @param timeMillis the time of the partition then, in ms since the epoch; 0 if it is not known
   * @param leases what has changed in leases of queues before the last of these bursts
   */
  record Append(
      long epoch,
      List<Burst> bursts,
      long committed,
      long sentAt,
      long timeMillis,
      LeaseNotes leases)
      implements ToFollower {
    /** One that tells nothing of leases. */
    Append(long epoch, List<Burst> bursts, long committed, long sentAt, long timeMillis) {
      this(epoch, bursts, committed, sentAt, timeMillis, LeaseNotes.NONE);
    }
  }

  /**
   * The sender delivers nothing any more in its epoch, so that the next leader need not wait for
   * the end of its lease.
   */
  record Released(long epoch) implements ToFollower {}

  /** The receiver takes over all that the leader has, in place of what it has itself. */
  record TakeOver(long epoch) implements ToFollower {}

  /**
   * The answer to {@link TakeOver}.
   *
   * @param streamEnds the offset after the last message of each stream that the follower has in its
   *     files, by the stream's id: what is before that need not be sent
   */
  record TakesOver(long epoch, Map<Long, Long> streamEnds) implements ToLeader {}

  /**
   * A part of what the leader has, between {@link TakeOver} and {@link TakenOver}.
   *
   * @param content as the log of a replica takes it
   */
  record Copy(long epoch, ByteBuffer content) implements ToFollower {}

  /**
   * The receiver has been sent all that the leader had after a burst.
   *
   * @param last that burst
   * @param history that of the leader
   */
  record TakenOver(long epoch, BurstId last, EpochHistory history) implements ToFollower {}

  /**
   * What the follower has forced.
   *
   * @param forced the number of the last burst
   * @param sentAt that of the last {@link Append} that it has received; {@link Long#MIN_VALUE} if
   *     there was none
   */
  record Forced(long epoch, long forced, long sentAt) implements ToLeader {}

  /**
   * The receiver leads no more.
   *
   * @param epoch that of the receiver
   * @param known a later one, which the follower knows
   */
  record Refused(long epoch, long known) implements ToLeader {}
}
