package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;

/**
 * How much memory the messages of a shard take: their entries in the indexes, which cannot be
 * helped, and the contents that are kept beside them as long as there is room.
 */
final class MemoryBudget {
  /** What an entry costs in the index of a queue, in bytes. */
  private static final int ENTRY = 24;

  /** What the objects of a content cost beside its bytes. */
  private static final int OBJECTS = 96;

  private final long limit;
  private long entries;
  private long contents;

  MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** A message came. @return whether there is room for its content */
  boolean admit(Message message) {
    entries++;
    long cost = cost(message);
    if (entries * ENTRY + contents + cost > limit) {
      return false;
    }
    contents += cost;
    return true;
  }

  /** A message came without its content. */
  void enter() {
    entries++;
  }

  /** A message left. */
  void leave(long count, long bytes) {
    entries -= count;
    contents -= bytes;
  }

  static long cost(Message message) {
    return message.content().length + (long) OBJECTS;
  }
}
