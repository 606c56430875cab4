package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.memory.ContentArena;

/*
 * How much memory the messages of a shard take: their entries in the indexes, which cannot be helped, the contents that are kept as objects,
 * and those that are packed in a ContentArena.
 *
 * An object saves packing and reading again for a consumer that is about to get it, and costs nothing if it is gone by the next
 * collection. Few of those are enough, and more are dear: a heap that they fill makes the collector's pauses as long as the backlog is deep.
 * So they have a small share, and each queue a part of it, lest one that nobody empties takes it all.
 */
final class MemoryBudget {
  /** What an entry costs in the index of a queue, in bytes: few, unless its page is in use. */
  private static final int ENTRY = 8;

  /** What the objects of a content cost beside its bytes. */
  private static final int OBJECTS = 96;

  /** The most that objects for consumers may take, in bytes. */
  private static final long MOST_FOR_CONSUMERS = 64 << 20;

  /** How many queues can have as many of them as they may. */
  private static final int QUEUES_WITH_OBJECTS = 4;

  private final long limit;
  private final long limitForConsumers;
  private final ContentArena packed;
  private long entries;
  private long objects;

  MemoryBudget(long limit, ContentArena packed) {
    this.limit = limit;
    this.limitForConsumers = Math.min(MOST_FOR_CONSUMERS, limit / 4);
    this.packed = packed;
  }

  /** A message came. */
  void enter() {
    entries++;
  }

  /** So many messages left. */
  void leave(long count) {
    entries -= count;
  }

  /** Whether so many bytes more can be had. */
  boolean hasRoomFor(long bytes) {
    return entries * ENTRY + objects + packed.allocatedBytes() + bytes <= limit;
  }

  /** Whether a content may be an object. */
  boolean hasRoomFor(Message message) {
    return hasRoomFor(cost(message));
  }

  /**
   * Whether a content may be an object for a consumer, though it is or can be elsewhere too.
   *
   * @param ofQueue what the objects of its queue cost already
   */
  boolean hasRoomForConsumer(Message message, long ofQueue) {
    long cost = cost(message);
    return ofQueue + cost <= limitForConsumers / QUEUES_WITH_OBJECTS
        && objects + cost <= limitForConsumers
        && hasRoomFor(cost);
  }

  /** A content is an object. @return what it costs */
  long hold(Message message) {
    long cost = cost(message);
    objects += cost;
    return cost;
  }

  /** An object is needed no more. @return what it cost */
  long release(Message message) {
    long cost = cost(message);
    objects -= cost;
    return cost;
  }

  /** All objects that a queue had are needed no more. */
  void release(long objectBytes) {
    objects -= objectBytes;
  }

  private static long cost(Message message) {
    return message.content().length + (long) OBJECTS;
  }
}
