package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.QueueNote;

/** The part of a shard's store that belongs to one queue. */
final class DiskQueueStore implements QueueStore {
  private static final long NONE = -1;

  final long id;
  final QueueName name;
  private final Kept kept;
  private final PartitionEntries entries;
  private final QueueList queues;
  private RecoverableQueue queue;

  /** The highest number that may have been delivered, and the number that the log knows. */
  private long deliveredUpTo = NONE;

  private long deliveredLogged = NONE;

  /** Returns of messages since the last note in the log; null if there are none. */
  private RedeliveryNotes returned;

  /** How many messages it has. */
  private long count;

  /** The memory that contents take that are objects. */
  private long objectBytes;

  /** The sizes of the bodies of messages that are paged. */
  private long pagedBytes;

  /** How many messages have a location: if there are none, no search is needed. */
  private long located;

  /** Whether the shard can find it by its id, which is necessary if messages have a location. */
  private boolean listed;

  /** How many of its dead messages have dead letters that other shards have not made safe yet. */
  private int awaited;

  private int namedIn;

  /**
   * What a queue is.
   *
   * @param kept which of its messages survive a restart
   */
  record Settings(long id, QueueName name, Kept kept) {}

  DiskQueueStore(Settings settings, PartitionEntries entries, QueueList queues) {
    this.id = settings.id;
    this.name = settings.name;
    this.kept = settings.kept;
    this.entries = entries;
    this.queues = queues;
  }

  RecoverableQueue queue() {
    return queue;
  }

  @Override
  public void attach(RecoverableQueue attached) {
    queue = attached;
  }

  // Memory

  @Override
  public boolean admit(Message message, boolean soon) {
    came();
    MemoryBudget budget = entries.budget;
    boolean elsewhere = isPersistent(message) || entries.paging.accepts(message);
    if (elsewhere
        ? soon && budget.hasRoomForConsumer(message, objectBytes)
        : budget.hasRoomFor(message)) {
      objectBytes += budget.hold(message);
      return true;
    }
    return false;
  }

  private void came() {
    entries.budget.enter();
    if (count++ == 0) {
      entries.budget.enterQueue();
    }
  }

  private void gone(long messages) {
    if (messages > 0) {
      count -= messages;
      entries.budget.leave(messages);
      if (count == 0) {
        entries.budget.leaveQueue();
      }
    }
  }

  @Override
  public void left(Message message) {
    gone(1);
    if (message != null) {
      objectBytes -= entries.budget.release(message);
    }
  }

  @Override
  public long page(long sequence, Message message) {
    locate();
    boolean paged = false;
    try {
      long location = entries.page(id, sequence, message);
      paged = true;
      pagedBytes += message.bodyLength();
      return location;
    } finally {
      located -= paged ? 0 : 1;
    }
  }

  @Override
  public void unpage(long location, int bodyLength) {
    located--;
    pagedBytes -= bodyLength;
    entries.unpage(location, bodyLength);
  }

  @Override
  public long memoryBytes() {
    return objectBytes + pagedBytes;
  }

  @Override
  public Message read(long location, boolean paged) {
    return entries.read(location, paged);
  }

  @Override
  public boolean mayReadInPassing(long location, boolean paged) {
    return entries.mayReadInPassing(location, paged);
  }

  // The log

  @Override
  public boolean isPersistent(Message message) {
    return kept == Kept.ALL || (kept == Kept.PERSISTENT && message.persistent());
  }

  @Override
  public long store(long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
    locate();
    boolean stored = false;
    try {
      long location =
          entries.store(id, namedIn, sequence, message, ownDeadlineMillis, enqueuedAtMillis);
      stored = true;
      return location;
    } finally {
      located -= stored ? 0 : 1;
    }
  }

  @Override
  public void enter(Move move, long sequence, long ownDeadlineMillis) {
    locate();
    boolean entered = false;
    try {
      entries.enter(move, id, sequence, ownDeadlineMillis);
      entered = true;
    } finally {
      located -= entered ? 0 : 1;
    }
  }

  /**
   * Returns what the log has to note about the queue; null if the segment has that note already.
   */
  QueueNote noteOf(int segment, long metadataSequence) {
    if (segment == namedIn) {
      return null;
    }
    namedIn = segment;
    return new QueueNote(name, metadataSequence);
  }

  /** Returns the last segment that has a note of the queue's name. */
  int namedIn() {
    return namedIn;
  }

  @Override
  public void delivered(long sequence) {
    if (sequence > deliveredUpTo) {
      if (deliveredUpTo == deliveredLogged) {
        queues.hasDelivered(this);
        entries.touch();
      }
      deliveredUpTo = sequence;
    }
  }

  /** Returns the number up to which messages may have been delivered, for the log. */
  long logDelivered() {
    deliveredLogged = deliveredUpTo;
    return deliveredUpTo;
  }

  /** Returns the same, to be repeated in a new segment; negative if there is nothing to note. */
  long deliveredAmongThose() {
    return located == 0 ? NONE : deliveredUpTo;
  }

  @Override
  public void returned(long sequence, long returns, long untilMillis) {
    if (returned == null) {
      returned = new RedeliveryNotes();
    }
    if (returned.size() == 0) {
      queues.hasReturned(this);
      entries.touch();
    }
    returned.add(
        sequence,
        returns,
        RedeliveryNotes.isWait(untilMillis) ? entries.storedTime(untilMillis) : untilMillis);
  }

  /** Returns the returns of messages since the last call, packed for the log. */
  byte[] logReturned() {
    return returned.take();
  }

  /** Notes the returns of all present messages, to be repeated in a new segment. */
  void noteReturns(RedeliveryNotes notes, int mostBytes) {
    if (located > 0) {
      queue.noteReturns(notes, mostBytes);
    }
  }

  @Override
  public void settle(long sequence, long location, int bodyLength) {
    located--;
    entries.settle(id, sequence, location, bodyLength);
  }

  @Override
  public void removed(long sequence, long location, long stamp) {
    located--;
    entries.removed(id, sequence, location, stamp);
  }

  @Override
  public void tookOver() {
    came();
    locate();
  }

  @Override
  public UnsettledEntry detach(long sequence, long location, int bodyLength) {
    located--;
    return entries.detach(id, sequence, location, bodyLength);
  }

  private void locate() {
    located++;
    if (!listed) {
      list();
    }
  }

  /** Makes it known to the entries. */
  void list() {
    listed = true;
    queues.add(this);
  }

  /** Removes it from the shard's list if it has no messages with a location. */
  void unlistIfUnused() {
    if (located == 0) {
      listed = false;
      queues.remove(this);
    }
  }

  @Override
  public boolean hasUnsettled() {
    return awaited > 0;
  }

  void awaits(int more) {
    awaited += more;
  }

  @Override
  public void forget() {
    gone(count);
    entries.budget.release(objectBytes);
    queues.forget(this);
    if (located > 0) {
      entries.forget(id, queue, awaited > 0);
    }
    objectBytes = 0;
    located = 0;
  }

  // At start

  /** Called when a message was recovered. */
  void recovered() {
    came();
    located++;
  }

  /** Called when a message that was recovered is settled: the log still says so. */
  void recoveredSettled() {
    gone(1);
    located--;
  }

  /** The log knows of this already, so it need not be logged again. */
  void recoveredDelivered(long upTo) {
    if (upTo > deliveredUpTo) {
      deliveredUpTo = upTo;
      deliveredLogged = upTo;
    }
    queue.recoveredDelivered(upTo);
  }
}
