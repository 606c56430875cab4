package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.DeadEntry;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.StoredQueue;

/** The part of a shard's store that is one queue's. */
final class DiskQueueStore implements QueueStore {
  private static final long NONE = -1;

  final long id;
  final boolean durable;
  private final DiskStore shard;
  private StoredQueue queue;

  /** The highest number that may have been delivered, and what the log knows of that. */
  private long deliveredUpTo = NONE;

  private long deliveredLogged = NONE;

  private long entries;

  /** What the contents in memory cost that are nowhere else, and those that the log has as well. */
  private long contentBytes;

  private long copyBytes;

  /** How many messages have a location: nothing has to be looked for where there are none. */
  private long inFiles;

  /** Whether the shard can find it by its id, as it must where messages are in files. */
  private boolean listed;

  /** How many of its dead messages have letters on the way to other shards. */
  private int awaited;

  DiskQueueStore(long id, boolean durable, DiskStore shard) {
    this.id = id;
    this.durable = durable;
    this.shard = shard;
  }

  StoredQueue queue() {
    return queue;
  }

  @Override
  public void attach(StoredQueue attached) {
    queue = attached;
  }

  // Memory

  @Override
  public boolean admit(Message message, boolean soon) {
    entries++;
    MemoryBudget budget = shard.budget;
    budget.enter();
    if (!keeps(message)) {
      if (!budget.hasRoomFor(message)) {
        return false;
      }
      contentBytes += budget.hold(message);
    } else {
      if (!soon || !budget.hasRoomForCopy(message, copyBytes)) {
        return false;
      }
      copyBytes += budget.holdCopy(message);
    }
    return true;
  }

  @Override
  public void left(Message message) {
    entries--;
    shard.budget.leave(1);
    if (message == null) {
      return;
    }
    if (keeps(message)) {
      copyBytes -= shard.budget.releaseCopy(message);
    } else {
      contentBytes -= shard.budget.release(message);
    }
  }

  @Override
  public long page(long sequence, Message message) {
    enterFiles();
    return shard.page(id, sequence, message);
  }

  @Override
  public void unpage(long location, int bodyLength) {
    inFiles--;
    shard.unpage(location, bodyLength);
  }

  @Override
  public Message read(long location, boolean paged) {
    return shard.read(location, paged);
  }

  @Override
  public boolean mayReadInPassing() {
    return shard.mayReadInPassing();
  }

  // The log

  @Override
  public boolean keeps(Message message) {
    return durable && message.persistent();
  }

  @Override
  public long store(long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
    enterFiles();
    return shard.store(id, sequence, message, ownDeadlineMillis, enqueuedAtMillis);
  }

  @Override
  public void delivered(long sequence) {
    if (sequence > deliveredUpTo) {
      if (deliveredUpTo == deliveredLogged) {
        shard.hasDelivered(this);
      }
      deliveredUpTo = sequence;
    }
  }

  /** Up to which number messages may have been delivered, for the log to know. */
  long logDelivered() {
    deliveredLogged = deliveredUpTo;
    return deliveredUpTo;
  }

  /** The same, to be told again to a new segment; negative if there is nothing to tell. */
  long deliveredAmongThose() {
    return inFiles == 0 ? NONE : deliveredUpTo;
  }

  @Override
  public void settle(long sequence, long location, int bodyLength) {
    inFiles--;
    shard.settle(id, sequence, location, bodyLength);
  }

  @Override
  public DeadEntry bury(long sequence, long location, int bodyLength) {
    inFiles--;
    return shard.bury(id, sequence, location, bodyLength);
  }

  private void enterFiles() {
    inFiles++;
    if (!listed) {
      list();
    }
  }

  /** Lets the shard find it. */
  void list() {
    listed = true;
    shard.queues.put(id, this);
  }

  /** Takes it out of the shard's list if it has no messages there. */
  void unlistIfUnused() {
    if (inFiles == 0) {
      listed = false;
      shard.queues.remove(id);
    }
  }

  void awaits(int more) {
    awaited += more;
  }

  @Override
  public void forget() {
    shard.budget.leave(entries);
    shard.budget.release(contentBytes, copyBytes);
    shard.forget(this, inFiles > 0, awaited > 0);
    entries = 0;
    contentBytes = 0;
    copyBytes = 0;
    inFiles = 0;
  }

  // At start

  /** A message is back. */
  void recovered() {
    entries++;
    inFiles++;
    shard.budget.enter();
  }

  /** A message that was back is gone: the log goes on to say so. */
  void recoveredSettled() {
    entries--;
    inFiles--;
    shard.budget.leave(1);
  }

  /** The log knows of this already. */
  void recoveredDelivered(long upTo) {
    if (upTo > deliveredUpTo) {
      deliveredUpTo = upTo;
      deliveredLogged = upTo;
    }
    queue.recoveredDelivered(upTo);
  }
}
