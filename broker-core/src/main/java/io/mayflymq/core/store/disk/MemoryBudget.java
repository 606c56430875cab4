package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;

/**
 * How much memory the messages of a shard take: their entries in the indexes, which are always in
 * memory, the contents that are kept as objects, and those that are packed in a {@link
 * ContentArena}.
 *
 * <p>An object saves packing and unpacking for a consumer that is about to get it, and costs
 * nothing if it is gone by the next garbage collection. A few of them are enough, and many are
 * expensive: if they fill the heap, the collector's pauses grow with the backlog. So they have a
 * small share, and each queue a part of it, so that one queue without consumers does not take it
 * all.
 */
final class MemoryBudget {
  /** The size of an entry in the index of a queue, in bytes: small, unless its page is in use. */
  private static final int ENTRY = 8;

  /** The size of what a queue has as long as it has messages: a page, counters and their rates. */
  private static final int QUEUE = 2_000;

  /** The size of a content's objects in addition to its bytes. */
  private static final int OBJECTS = 96;

  /** The largest size of all objects for consumers, in bytes. */
  private static final long MOST_FOR_CONSUMERS = 64 << 20;

  /** How many queues can have their full part of the share. */
  private static final int QUEUES_WITH_OBJECTS = 4;

  private final long limit;
  private final long limitForConsumers;
  private final ContentArena packed;
  private long entries;
  private long queues;
  private long objects;

  /**
   * Creates it: nothing is used.
   *
   * @param limit how much there is, in bytes
   */
  public MemoryBudget(long limit, ContentArena packed) {
    this.limit = limit;
    this.limitForConsumers = Math.min(MOST_FOR_CONSUMERS, limit / 4);
    this.packed = packed;
  }

  /** Called when a message has arrived. */
  public void enter() {
    entries++;
  }

  /** Called when messages have left. */
  public void leave(long count) {
    entries -= count;
  }

  /** Called when a queue has got its first message. */
  public void enterQueue() {
    queues++;
  }

  /** Called when a queue has lost its last message. */
  public void leaveQueue() {
    queues--;
  }

  /** Whether this many further bytes are available. */
  public boolean hasRoomFor(long bytes) {
    return entries * ENTRY + queues * QUEUE + objects + packed.allocatedBytes() + bytes <= limit;
  }

  /** Whether there is room for a content as an object. */
  public boolean hasRoomFor(Message message) {
    return hasRoomFor(cost(message));
  }

  /**
   * Whether there is room for a content as an object for a consumer, though it is or can be
   * elsewhere, too.
   *
   * @param ofQueue the size of the objects of its queue
   */
  public boolean hasRoomForConsumer(Message message, long ofQueue) {
    long cost = cost(message);
    return ofQueue + cost <= limitForConsumers / QUEUES_WITH_OBJECTS
        && objects + cost <= limitForConsumers
        && hasRoomFor(cost);
  }

  /** Counts a content that is an object. @return its size */
  public long hold(Message message) {
    long cost = cost(message);
    objects += cost;
    return cost;
  }

  /** Stops counting an object. @return its size */
  public long release(Message message) {
    long cost = cost(message);
    objects -= cost;
    return cost;
  }

  /** Stops counting all objects of a queue. */
  public void release(long objectBytes) {
    objects -= objectBytes;
  }

  private static long cost(Message message) {
    return message.content().length + (long) OBJECTS;
  }
}
