package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * The log of one replica, as replication sees it: bursts in order. What is appended is safe only
 * when the owner of the log says that it is forced.
 */
public interface ReplicaLog {
  /** Returns the last burst; {@link BurstId#NONE} if there is none. */
  BurstId last();

  /** Returns the epochs of its bursts. */
  EpochHistory history();

  /** Appends a burst, the number of which is that of the last one and one. */
  void append(Burst burst);

  /**
   * Reads a burst.
   *
   * @param number that of a burst that was appended and not undone
   * @return null if the log does not have all of it any more
   */
  Burst read(long number);

  /**
   * Returns the highest epoch that the log has seen: that of its last burst, or of the leader for
   * which it was cut.
   */
  long epoch();

  /**
   * Undoes the bursts behind one. They were never committed.
   *
   * @param number that of the last burst that stays; 0 for none
   * @param epoch that of the leader who has told so; the log remembers it, so that this replica
   *     does not go back to an earlier one when it is started again
   */
  void cutAfter(long number, long epoch);

  /** Bursts up to this one are committed: they are never undone. */
  void committed(long number);

  /**
   * A replica begins to take over all that its leader has. Its last burst and its history stay what
   * they are until {@link #takenOver}.
   */
  void takingOver();

  /**
   * Returns the offset after the last message of each stream that is in files beside the log, by
   * the stream's id. These files stay when the replica takes over.
   */
  default Map<Long, Long> streamEnds() {
    return Map.of();
  }

  /**
   * Takes a part of what the leader has, after {@link #takingOver}.
   *
   * @param content not to be used after this call
   */
  void take(ByteBuffer content);

  /**
   * The replica has all that its leader had after this burst.
   *
   * @param history that of the leader
   */
  void takenOver(BurstId last, EpochHistory history);
}
