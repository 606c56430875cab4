package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;

/*
 * How much memory the messages of a shard take: their entries in the indexes, which cannot be helped, and the contents that are kept
 * beside them.
 *
 * A content that is nowhere else stays in memory as long as there is room, as it costs a write to put it elsewhere. A content that the
 * log has is only a copy, which saves reading it again for a consumer that is about to get it. Few of those are enough, and more are
 * dear: the page cache of the system has them as well, they are read in long runs, and a heap that they fill makes the collector's
 * pauses as long as the backlog is deep. So they have a small share, and each queue a part of it, lest one that nobody
 * empties takes it all.
 */
final class MemoryBudget {
  /** What an entry costs in the index of a queue, in bytes: few, unless its page is in use. */
  private static final int ENTRY = 8;

  /** What the objects of a content cost beside its bytes. */
  private static final int OBJECTS = 96;

  /** The most that copies may take, in bytes. */
  private static final long MOST_COPIES = 16 << 20;

  /** How many queues can have as many copies as they may. */
  private static final int QUEUES_WITH_COPIES = 4;

  private final long limit;
  private final long copiesLimit;
  private long entries;
  private long contents;
  private long copies;

  MemoryBudget(long limit) {
    this.limit = limit;
    this.copiesLimit = Math.min(MOST_COPIES, limit / 4);
  }

  /** A message came. */
  void enter() {
    entries++;
  }

  /** So many messages left. */
  void leave(long count) {
    entries -= count;
  }

  boolean hasRoomFor(Message message) {
    return entries * ENTRY + contents + copies + cost(message) <= limit;
  }

  /**
   * Whether a content that the log has may be in memory too.
   *
   * @param ofQueue what the copies of its queue cost already
   */
  boolean hasRoomForCopy(Message message, long ofQueue) {
    long cost = cost(message);
    return ofQueue + cost <= copiesLimit / QUEUES_WITH_COPIES
        && copies + cost <= copiesLimit
        && hasRoomFor(message);
  }

  /** A content stays in memory. @return what it costs */
  long hold(Message message) {
    long cost = cost(message);
    contents += cost;
    return cost;
  }

  /** The same for a copy. */
  long holdCopy(Message message) {
    long cost = cost(message);
    copies += cost;
    return cost;
  }

  /** A content that was held is needed no more. @return what it cost */
  long release(Message message) {
    long cost = cost(message);
    contents -= cost;
    return cost;
  }

  /** The same for a copy. */
  long releaseCopy(Message message) {
    long cost = cost(message);
    copies -= cost;
    return cost;
  }

  /** All that a queue had is needed no more. */
  void release(long contentBytes, long copyBytes) {
    contents -= contentBytes;
    copies -= copyBytes;
  }

  private static long cost(Message message) {
    return message.content().length + (long) OBJECTS;
  }
}
