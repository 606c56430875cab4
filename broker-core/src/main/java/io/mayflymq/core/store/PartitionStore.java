package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Stores the messages of a shard's queues. Belongs to the shard's thread, except for {@link #open}.
 */
public interface PartitionStore {
  /**
   * Returns the store of a queue. Any thread may call.
   *
   * @param queueId the id of the queue, which is never reused; or an id that {@link StoreIds}
   *     derives from it
   * @param name the queue's name
   * @param kept which of the queue's messages survive a restart
   */
  QueueStore open(long queueId, QueueName name, QueueStore.Kept kept);

  /** Returns the store of a stream. Any thread may call. Parameters as in {@link #open}. */
  StreamStore openStream(long queueId, QueueName name);

  /**
   * Recovers the stored messages into the queues that are open. Called once, before anything is
   * published.
   *
   * @param shardsBefore the number of the shard that each durable queue was stored on so far, by
   *     the id of the queue; messages of it in logs of other shards are ignored
   * @param openBeside receives an id of {@link StoreIds} under which messages were found: it opens
   *     the store of these, unless the queue has been deleted
   * @throws StoreException if they cannot be read
   */
  Recovered recover(Map<Long, Integer> shardsBefore, LongConsumer openBeside);

  /**
   * The result of a recovery.
   *
   * @param messages how many messages there are
   * @param highestQueueId the highest id of a queue in the files, 0 if there is none
   */
  record Recovered(long messages, long highestQueueId) {}

  /** Called when metadata have durably recorded that the queues are on this shard. */
  void recoveredForGood();

  // Dead letters

  /** Keeps an entry until its dead letters, which go to other shards, are safe. */
  void await(UnsettledEntry entry);

  /** Settles an entry whose dead letter is safe, or which has none. */
  void settle(UnsettledEntry entry);

  /**
   * Begins a move, which has to be written before the next one begins.
   *
   * @param source the entry that the message leaves
   * @param message the message as it enters other queues
   */
  Move move(UnsettledEntry source, Message message);

  // Batches

  /**
   * Returns which batches of commands have been applied to a replicated partition. What is applied
   * is logged in the burst in which it is told.
   */
  AppliedBatches batches();

  /**
   * Something is told to the other replicas of a replicated partition with the next batch: there is
   * one at the end of this burst, also if nothing is stored. What waits for the burst waits for it.
   */
  void beginBatch();

  // Safety

  /** Returns how many messages have been written to the log, or to streams, so far. */
  long storedCount();

  /** Returns how many of these are of streams. */
  long streamedCount();

  /** Whether so much waits for the disk that publishers have to wait. */
  boolean isBehind();

  /**
   * Returns how long other replicas take at present until they have what is written, in ms; 0 if
   * there are none.
   */
  long commitMillis();

  /**
   * Returns whether nothing that was handed over at the end of a burst has yet to be written, or
   * told to be safe. What cannot be written now does not count. Any thread may call.
   */
  boolean isAtRest();

  /** Returns what it uses, and has done so far. */
  StoreStats figures();

  /** Makes everything written so far safe; commits are notified in the order of the calls. */
  void commit(Commit commit);

  /**
   * Does the same for what streams do not have: what others write to them takes longer, if they are
   * many. Such commits, too, are notified in the order of the calls, but not in that of {@link
   * #commit}.
   */
  void commitQueues(Commit commit);

  /** Writes everything and closes the files. @return completed when that is done */
  CompletableFuture<Void> close();
}
