package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The contents that are neither in the log of a shard nor kept as objects: in memory as long as
 * there is room, otherwise in a file. The file has the format of the log, since it has the same
 * tasks (append, read, free what is gone), but it is never forced, and deleted at start.
 */
final class Paging {
  private final ContentArena memory;
  private final MemoryBudget budget;
  private final Supplier<OpenLog> opener;

  /** Null until memory was short for the first time. */
  private OpenLog open;

  private SegmentLog file;

  Paging(ContentArena memory, MemoryBudget budget, Supplier<OpenLog> opener) {
    this.memory = memory;
    this.budget = budget;
    this.opener = opener;
  }

  /** Returns how much memory there is. */
  MemoryBudget budget() {
    return budget;
  }

  /** Whether a message may be packed in memory here. */
  boolean accepts(Message message) {
    return memory.accepts(message);
  }

  /** Stores the content of a message. @return where it can be read */
  long put(long queueId, long sequence, Message message) {
    if (memory.accepts(message)
        && (memory.hasRoomFor(message)
            || (budget.hasRoomFor(memory.slabBytes()) && memory.grow()))) {
      return memory.put(queueId, sequence, message);
    }
    if (file == null) {
      open = opener.get();
      file = open.log();
    }
    return file.enqueue(queueId, 0, sequence, Long.MAX_VALUE, 0, 0, message);
  }

  Message read(long location) {
    return ContentArena.has(location) ? memory.read(location) : file.read(location);
  }

  void release(long location, int bodyLength) {
    if (ContentArena.has(location)) {
      memory.release(location);
    } else {
      file.release(location, bodyLength);
    }
  }

  /** Starts to write what was appended. */
  void flush() {
    if (file != null) {
      file.flush();
    }
  }

  /** Frees unused space, a slice at a time. @return whether there is more to do at once */
  boolean compact(int budgetBytes) {
    boolean more = memory.compact(budgetBytes);
    if (file != null) {
      more |= file.compact(budgetBytes);
    }
    return more;
  }

  /** Periodic maintenance. */
  void tick() {
    memory.trim();
    if (file != null && file.state() == LogState.BLOCKED) {
      file.retry();
    }
  }

  /** Returns what the file uses. */
  StoreStats.Log figures() {
    return file == null ? StoreStats.Log.NONE : file.figures();
  }

  /** Returns how many bytes are not written yet. */
  long pendingBytes() {
    return file == null ? 0 : file.pendingBytes();
  }

  /**
   * Frees the memory, and closes the file. To be called last. @return completed when it is closed
   */
  CompletableFuture<Void> close() {
    memory.close();
    return open == null ? CompletableFuture.completedFuture(null) : open.close();
  }
}
