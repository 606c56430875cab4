package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Where a shard keeps the messages of its queues. Belongs to the shard's thread, except for {@link
 * #open}.
 */
public interface ShardStore {
  /**
   * The store of a queue. Any thread may call.
   *
   * @param queueId the queue, never given to another; or what {@link StoreIds} makes of it
   * @param name what the queue is called
   * @param durable whether the queue's persistent messages are to outlive the process
   */
  QueueStore open(long queueId, QueueName name, boolean durable);

  /** The store of a stream. Any thread may call. Parameters as in {@link #open}. */
  StreamStore openStream(long queueId, QueueName name);

  /**
   * Brings the messages back that were kept, into the queues that are open. Called once, before
   * anything is published.
   *
   * @param shardsBefore the number of the shard that each durable queue was kept on so far, by the
   *     id of the queue; messages of it that are elsewhere are not to be believed
   * @param openBeside told an id of {@link StoreIds} under which messages were found beside a
   *     queue: it opens their store, unless the queue is gone
   * @throws StoreException if they cannot be read
   */
  Recovered recover(Map<Long, Integer> shardsBefore, LongConsumer openBeside);

  /**
   * What was brought back.
   *
   * @param messages how many messages there are
   * @param highestQueueId the highest id of a queue that the files speak of, 0 if of none
   */
  record Recovered(long messages, long highestQueueId) {}

  /** Wherever the queues were kept before, metadata says now that they are here. */
  void recoveredForGood();

  // Dead letters

  /** The dead letters of this entry go to other shards: it is needed until they are safe. */
  void await(UnsettledEntry entry);

  /** The dead letter of a message is safe, or there is none. */
  void settle(UnsettledEntry entry);

  /**
   * What is stored until {@link #endMove} is this message, and comes from this entry: as one
   * record, so after a crash it is either here or there.
   */
  void beginMove(UnsettledEntry source, Message deadLetter);

  /**
   * The message has been given to its queues.
   *
   * @param keepSource whether the entry stays in the log all the same, as one of them has failed:
   *     after a restart it is back where it came from
   */
  void endMove(long nowMillis, boolean keepSource);

  // Safety

  /** How many messages have been written to the log so far. */
  long storedCount();

  /** Whether the disk is so far behind that publishers have to wait. */
  boolean isBehind();

  /** Has everything written so far made safe; commits are told in the order of the calls. */
  void commit(Commit commit);

  /** Writes everything and lets the files go. @return done when that has happened */
  CompletableFuture<Void> close();
}
