package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BatchId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * The log of one replica, as replication sees it: batches in order. What is appended is safe only
 * when the owner of the log says that it is forced.
 */
public interface ReplicaLog {
  /** Returns the last batch; {@link BatchId#NONE} if there is none. */
  BatchId last();

  /** Returns the epochs of its batches. */
  EpochHistory history();

  /** Appends a batch, the number of which is that of the last one and one. */
  void append(Batch batch);

  /**
   * Reads a batch.
   *
   * @param number that of a batch that was appended and not undone
   * @return null if the log does not have all of it any more
   */
  Batch read(long number);

  /**
   * Returns the highest epoch that the log has seen: that of its last batch, or of the leader for
   * which it was cut.
   */
  long epoch();

  /**
   * Undoes the batches behind one. They were never committed.
   *
   * @param number that of the last batch that stays; 0 for none
   * @param epoch that of the leader who has told so; the log remembers it, so that this replica
   *     does not go back to an earlier one when it is started again
   */
  void cutAfter(long number, long epoch);

  /** Batches up to this one are committed: they are never undone. */
  void committed(long number);

  /**
   * A replica begins to take over all that its leader has. Its last batch and its history stay what
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
   * The replica has all that its leader had after this batch.
   *
   * @param history that of the leader
   */
  void takenOver(BatchId last, EpochHistory history);
}
