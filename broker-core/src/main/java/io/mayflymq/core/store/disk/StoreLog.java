package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore.Recovered;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The log in which a store keeps its messages: that of a shard, or that of a replica which leads.
 * They differ in what makes safe what a burst has appended. Belongs to the shard's thread.
 */
public interface StoreLog {
  /** Returns the log, which is opened, and has to be recovered before use. */
  SegmentLog log();

  /** Returns the name of what the log belongs to, for errors. */
  String owner();

  /**
   * Returns whether other nodes have the log, too. Then it has all messages of its queues, those
   * that are not persistent too.
   */
  boolean isReplicated();

  /** Returns the sequence number of metadata to be noted in the log; 0 for none. */
  long metadataSequence();

  /**
   * Recovers the log into the queues that are open.
   *
   * @param shardsBefore see {@link io.mayflymq.core.store.PartitionStore#recover}
   * @throws io.mayflymq.core.store.StoreException if it cannot be read
   */
  Recovered recover(StoreContents contents, Map<Long, Integer> shardsBefore);

  /** Called when metadata have durably recorded what was recovered. */
  void recoveredForGood();

  /** Opens an empty file for contents that do not fit into memory. */
  OpenLog openPaging(LogOwner owner);

  /**
   * Called at the end of each burst in which something was appended or a commit was requested.
   *
   * @param commit is to be notified when everything appended so far is safe; null if nothing waits
   */
  void endBurst(Commit commit);

  /**
   * Returns whether so much of what was appended is not safe, for another reason than the disk of
   * this node, that publishers have to wait.
   */
  default boolean isBehind() {
    return false;
  }

  /** Returns how long it takes until other nodes have what was appended, in ms. */
  default long commitMillis() {
    return 0;
  }

  /** Frees disk space; see {@link SegmentLog#compact}. */
  boolean compact(int budget);

  /** Writes everything and closes the files. */
  CompletableFuture<Void> close();
}
