package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.UnreadableException;
import io.mayflymq.core.store.UnsettledEntry;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * The messages of a queue, wherever their contents are stored.
 *
 * <p>The index knows every message; its column of contents is a cache. Each message is in one of
 * three states:
 *
 * <ul>
 *   <li>STORED: in the log of the shard, as a persistent message of a durable queue. Its content
 *       may be in memory, too, if there is room.
 *   <li>PAGED: packed, in memory or in a file that is deleted when the broker stops, as a transient
 *       message that may wait for long.
 *   <li>neither: in the index alone, as an object.
 * </ul>
 *
 * <p>A content that was read from a file for a delivery is not put into the index again: it leaves
 * at once, and is read again if it is requeued.
 */
public final class QueueMessages implements RecoverableQueue {
  private static final long NONE = -1;
  private static final long INDEX_BYTES_PER_MESSAGE = 16;
  private static final int LOCATED = EntryFlags.STORED | EntryFlags.PAGED;

  private final MessageIndex<Message> index;
  private final QueueStore store;
  private final MessageDeadlines deadlines;
  private final boolean countsReturns;

  /** Null except during recovery at start. */
  private QueueRecovery recovery;

  /** Null except while messages are copied from another place. */
  private CopiedMessages copied;

  /** Null except while the messages are copied to another place. */
  private MessageCopy copy;

  /** Null if messages are delivered in the order of arrival alone. */
  private final DeliveryPriority deliveryPriority;

  /** Null if no values of a header take turns. */
  private FairShares fairShares;

  /** The highest number of a share that was given out before there was none. */
  private int sharesBefore;

  /** Knows which messages were returned; null if the queue does not track that. */
  private Returned returned;

  /** The content that was read in advance, for the next delivery. */
  private Message loaded;

  /** The last message that was looked at when the queue was deleted. */
  private long disposedUpTo = NONE;

  private long loadedSequence = NONE;

  /** Why the last unreadable message could not be read. */
  private String unreadableReason = "";

  private Counters counters = new Counters();
  private long storedCount;
  private long storedBytes;

  /**
   * Creates an empty set of messages.
   *
   * @param pages the pool that the index takes its pages from
   * @param store where the messages are kept
   * @param settings the settings of the queue at this time
   */
  public QueueMessages(PagePool pages, QueueStore store, QueueSettings settings) {
    this.index = new MessageIndex<>(pages);
    this.store = store;
    this.deliveryPriority = DeliveryPriority.in(index, settings);
    this.deadlines = new MessageDeadlines(index, this::head, settings.expiry());
    share(settings.deliveries().fairBy());
    this.countsReturns = settings.countsReturns();
    store.attach(this);
  }

  /** Returns the counters of the queue. */
  public Counters counters() {
    return counters;
  }

  /** Sets where is counted from now on. */
  public void countIn(Counters changed) {
    counters = changed;
  }

  /**
   * Returns about how many bytes of memory messages take: contents that are not in the log alone,
   * and the index.
   */
  public long memoryBytes() {
    return store.memoryBytes()
        + (fairShares == null ? 0 : fairShares.memoryBytes())
        + INDEX_BYTES_PER_MESSAGE * (index.readyCount() + index.unackedCount());
  }

  /** Returns the index of all messages. */
  public MessageIndex<Message> index() {
    return index;
  }

  /** Returns the order in which messages expire. */
  public MessageDeadlines deadlines() {
    return deadlines;
  }

  /** Applies new settings: order of expiry and of delivery follow them at once. */
  public void change(QueueSettings changed) {
    deadlines.change(changed.expiry());
    boolean otherLevels = false;
    if (deliveryPriority != null) {
      int highest = deliveryPriority.highestLevel();
      deliveryPriority.change(changed);
      otherLevels = fairShares != null && deliveryPriority.highestLevel() != highest;
    }
    String header = changed.deliveries().fairBy();
    if (otherLevels || !Objects.equals(header, fairShares == null ? null : fairShares.header())) {
      share(header);
    }
  }

  /** Lets the values of this header take turns; null for none. */
  private void share(String header) {
    sharesBefore = fairShares == null ? sharesBefore : fairShares.highestNumber();
    fairShares =
        header == null ? null : new FairShares(index, deliveryPriority, header, sharesBefore);
    if (fairShares != null) {
      fairShares.begin();
    }
  }

  /** Returns the turns of the values of a header; null if none take turns. */
  public FairShares fairShares() {
    return fairShares;
  }

  /**
   * Shares out some of the messages that are not known by their shares.
   *
   * @param mostMessages how many
   * @param mostBytes after how many bytes of bodies that were read to stop
   * @return whether there are more
   */
  public boolean shareOut(int mostMessages, long mostBytes) {
    return fairShares != null
        && fairShares.isSharingOut()
        && fairShares.shareOut(this::peek, mostMessages, mostBytes);
  }

  /**
   * Returns the order of delivery; null if messages are delivered in the order of arrival alone.
   */
  public DeliveryPriority deliveryPriority() {
    return deliveryPriority;
  }

  // Entering

  /**
   * Appends a message, ready.
   *
   * @param move the move by which it enters the queue; null if it arrives by itself
   * @param soon whether it is likely to be read soon
   */
  public long append(
      Message message, Move move, boolean soon, long deadlineMillis, long nowMillis) {
    boolean room = store.admit(message, soon);
    return append(
        message, move, room, deadlineMillis, deadlines.toLog(message, nowMillis), nowMillis);
  }

  /** Appends a scheduled message. Parameters as in {@link #append}. */
  public long appendScheduled(
      Message message, Move move, boolean soon, long dueMillis, long nowMillis) {
    return append(message, move, store.admit(message, soon), dueMillis, dueMillis, nowMillis);
  }

  /**
   * Appends a message that was in a queue of another broker, as it was there.
   *
   * @param deadlineMillis its own deadline, {@link Long#MAX_VALUE} for none
   * @param arrivedMillis when it arrived there
   * @param returns how often consumers returned it there; it counts as delivered before
   */
  public long restore(Message message, long deadlineMillis, long arrivedMillis, long returns) {
    boolean room = store.admit(message, false);
    long own = deadlines.fromLog(deadlineMillis, arrivedMillis);
    long sequence = append(message, null, room, own, deadlineMillis, arrivedMillis);
    counters.add(Counter.ARRIVED, 1);
    index.setFlags(sequence, index.flags(sequence) | EntryFlags.REDELIVERED);
    if (isStored(sequence)) {
      store.delivered(sequence);
    }
    if (returns > 0) {
      index.setReturns(sequence, returns);
    }
    return sequence;
  }

  private long append(
      Message message,
      Move move,
      boolean room,
      long deadlineMillis,
      long loggedMillis,
      long nowMillis) {
    long sequence = index.nextSequence();
    Message content = room ? message : null;
    if (room && !store.isPersistent(message)) {
      index.append(content, message.bodyLength(), deadlineMillis, nowMillis, 0);
    } else {
      index.append(content, message.bodyLength(), deadlineMillis, nowMillis, place(message));
      write(sequence, message, move, loggedMillis, nowMillis);
    }
    if (deliveryPriority != null && deliveryPriority.came(sequence, message.ownPriority())) {
      deliveryPriority.ready(sequence);
    }
    if (fairShares != null) {
      fairShares.came(sequence, message);
      fairShares.ready(sequence);
    }
    return sequence;
  }

  /**
   * Appends a message that is delivered at once and has to be acknowledged. Parameters as in {@link
   * #append}.
   */
  public long appendUnacked(Message message, Move move, long deadlineMillis, long nowMillis) {
    long sequence = index.nextSequence();
    boolean isPersistent = store.isPersistent(message);
    // Most of what the log has is not read again.
    boolean room = store.admit(message, !isPersistent);
    int flags = EntryFlags.OUT_OF_ORDER | (room && !isPersistent ? 0 : place(message));
    index.appendUnacked(
        room ? message : null, message.bodyLength(), deadlineMillis, nowMillis, flags);
    if ((flags & LOCATED) != 0) {
      write(sequence, message, move, deadlines.toLog(message, nowMillis), nowMillis);
      if (isPersistent) {
        store.delivered(sequence);
      }
    }
    if (deliveryPriority != null) {
      deliveryPriority.came(sequence, message.ownPriority());
    }
    return sequence;
  }

  /** Puts a message in that was in the queue at another place, ready. */
  void insert(long sequence, Message message, long deadlineMillis, long arrivedMillis) {
    put(sequence, message, null, deadlineMillis, deadlineMillis, arrivedMillis, 0);
    counters.add(Counter.ARRIVED, 1);
  }

  private void put(
      long sequence,
      Message message,
      Move move,
      long deadlineMillis,
      long loggedMillis,
      long arrivedMillis,
      int marks) {
    boolean room = store.admit(message, false);
    int flags = room && !store.isPersistent(message) ? 0 : place(message);
    index.insert(
        sequence,
        room ? message : null,
        message.bodyLength(),
        deadlineMillis,
        arrivedMillis,
        flags | marks);
    if (flags != 0) {
      write(sequence, message, move, loggedMillis, arrivedMillis);
    }
    if (fairShares != null) {
      fairShares.came(sequence, message);
    }
  }

  /** Messages that have left are about to be put in again. */
  public void forgetLeft() {
    if (deliveryPriority != null) {
      deliveryPriority.forgetLeft();
    }
  }

  /**
   * Puts a message in again that had left, under its number, ready.
   *
   * @param move the move by which it enters; null if the log does not have it
   * @param deadlineMillis its own deadline, {@link Long#MAX_VALUE} for none
   * @param arrivedMillis when it arrived first
   * @param redelivered whether it counts as delivered before
   */
  public void insertAgain(
      long sequence,
      Message message,
      Move move,
      long deadlineMillis,
      long arrivedMillis,
      boolean redelivered) {
    int marks = EntryFlags.OUT_OF_ORDER | (redelivered ? EntryFlags.REDELIVERED : 0);
    long logged = deadlines.toLog(deadlineMillis, arrivedMillis);
    put(sequence, message, move, deadlineMillis, logged, arrivedMillis, marks);
    if (copy != null) {
      copy.inserted(sequence);
    }
    if (deliveryPriority != null) {
      deliveryPriority.came(sequence, message.ownPriority());
      deliveryPriority.ready(sequence);
    }
    if (fairShares != null) {
      fairShares.ready(sequence);
    }
    deadlines.inserted(sequence);
  }

  private int place(Message message) {
    return store.isPersistent(message) ? EntryFlags.STORED : EntryFlags.PAGED;
  }

  /** Writes the message that was just appended; if that fails, the append is undone. */
  private void write(long sequence, Message message, Move move, long loggedMillis, long nowMillis) {
    boolean written = false;
    try {
      long location = QueueStore.NOWHERE;
      if (store.isPersistent(message)) {
        if (move == null) {
          location = store.store(sequence, message, loggedMillis, nowMillis);
        } else {
          store.enter(move, sequence, loggedMillis);
        }
        counters.add(Counter.DISK_WRITES, 1);
        storedCount++;
        storedBytes += message.bodyLength();
      } else {
        location = store.page(sequence, message);
      }
      index.setLocation(sequence, location);
      written = true;
    } finally {
      if (!written) {
        store.left(index.remove(sequence));
      }
    }
  }

  private void storedLeft(int bodyLength) {
    storedCount--;
    storedBytes -= bodyLength;
  }

  // Looking

  /** Returns the next ready message to deliver; -1 if none is ready. */
  public long head() {
    if (fairShares != null) {
      return fairShares.first();
    }
    return deliveryPriority == null ? index.firstReady() : deliveryPriority.first();
  }

  /**
   * Returns the message that leaves where there are too many: the first one of the lowest or the
   * highest priority, or of the largest share there. There is a ready message.
   */
  public long headToDrop(boolean ofLowest) {
    if (fairShares != null) {
      return fairShares.firstToDrop(ofLowest);
    }
    return ofLowest && deliveryPriority != null ? deliveryPriority.firstOfLowest() : head();
  }

  /** Whether a message can be read; if so {@link #get} returns it without reading again. */
  public boolean load(long sequence) {
    if (index.content(sequence) == null && loadedSequence != sequence) {
      loaded = readForUse(sequence);
      loadedSequence = loaded == null ? NONE : sequence;
    }
    return loadedSequence == sequence || index.content(sequence) != null;
  }

  /** Returns a message, from memory or from its file; null if it cannot be read. */
  public Message get(long sequence) {
    if (loadedSequence == sequence) {
      Message message = loaded;
      loaded = null;
      loadedSequence = NONE;
      return message;
    }
    Message message = index.content(sequence);
    return message != null ? message : readForUse(sequence);
  }

  /** Counts what is read from the log, unless it is for display only. */
  private Message readForUse(long sequence) {
    if (isStored(sequence)) {
      counters.add(Counter.DISK_READS, 1);
    }
    return read(sequence);
  }

  /** Returns a message for display only: a content that was read in advance is kept. */
  public Message peek(long sequence) {
    if (loadedSequence == sequence) {
      return loaded;
    }
    Message message = index.content(sequence);
    return message != null ? message : read(sequence);
  }

  /** Returns a message if that is cheap: only a few contents are read from files. */
  public Message peekIfCheap(long sequence) {
    Message message = index.content(sequence);
    boolean read =
        message == null && store.mayReadInPassing(index.location(sequence), isPaged(sequence));
    return read ? peek(sequence) : message;
  }

  private Message read(long sequence) {
    try {
      return store.read(index.location(sequence), isPaged(sequence));
    } catch (UnreadableException e) {
      unreadableReason = e.getMessage();
      return null;
    }
  }

  /** Returns why the last unreadable message could not be read, in a few words. */
  public String unreadableReason() {
    return unreadableReason;
  }

  /** Whether the log has the message. */
  public boolean isStored(long sequence) {
    return (index.flags(sequence) & EntryFlags.STORED) != 0;
  }

  private boolean isPaged(long sequence) {
    return (index.flags(sequence) & EntryFlags.PAGED) != 0;
  }

  /**
   * Returns the next message to deliver, under the conditions of {@link #peekIfCheap}; else null.
   */
  public Message peekHead() {
    long head = head();
    return head == NONE ? null : peekIfCheap(head);
  }

  /**
   * Returns how many messages there are.
   *
   * @param delayed how many of the unacknowledged ones wait for their retry delay
   * @param unreadable how many of them were set aside
   */
  public QueueTotals totals(
      long delayed, long delayedBytes, long unreadable, long unreadableBytes) {
    return new QueueTotals(
        index.readyCount(),
        index.unackedCount() - delayed - unreadable,
        index.readyBytes(),
        index.unackedBytes() - delayedBytes - unreadableBytes,
        delayed,
        delayedBytes,
        unreadable,
        unreadableBytes,
        storedCount,
        storedBytes);
  }

  // Leaving

  /**
   * Takes a ready message for a delivery that has to be acknowledged.
   *
   * @param returns how often it has been returned before, if that is counted
   */
  public Message take(long sequence, long returns) {
    Message message = get(sequence);
    served(sequence);
    taking(sequence);
    if (isStored(sequence)) {
      store.delivered(sequence);
      if (returns > 0) {
        store.returned(sequence, returns, RedeliveryNotes.TAKEN);
      }
    }
    return message;
  }

  /** Makes a ready message unavailable for a while. It does not count as delivered. */
  public void lock(long sequence) {
    taking(sequence);
  }

  private void taking(long sequence) {
    if (fairShares != null) {
      fairShares.leaving(sequence);
    }
    if (deliveryPriority != null) {
      deliveryPriority.leaving(sequence);
    }
    index.take(sequence);
  }

  /** Called before a message is delivered: the share that it belongs to has had its turn. */
  public void served(long sequence) {
    if (fairShares != null) {
      fairShares.served(sequence);
    }
  }

  private void leaving(long sequence) {
    if (fairShares != null) {
      fairShares.leaving(sequence);
      fairShares.left(sequence);
    }
    if (deliveryPriority != null) {
      deliveryPriority.leaving(sequence);
    }
  }

  /** If the share of a message is not known, it is read for that where this is cheap. */
  private void isReadyAgain(long sequence) {
    if (fairShares == null) {
      return;
    }
    if (!fairShares.isKnown(sequence)) {
      Message message = peekIfCheap(sequence);
      if (message != null) {
        fairShares.came(sequence, message);
      }
    }
    fairShares.ready(sequence);
  }

  /** Makes a locked message ready again, unchanged. */
  public void unlock(long sequence) {
    index.requeue(sequence);
    if (deliveryPriority != null) {
      deliveryPriority.ready(sequence);
    }
    isReadyAgain(sequence);
  }

  /** A consumer may have had this message. */
  public void countAsDelivered(long sequence) {
    index.setFlags(sequence, index.flags(sequence) | EntryFlags.REDELIVERED);
  }

  /** Makes a delivered message ready again. */
  public void putBack(long sequence) {
    noteForCopy(sequence);
    countAsDelivered(sequence);
    index.requeue(sequence);
    if (deliveryPriority != null) {
      deliveryPriority.returned(sequence);
    }
    isReadyAgain(sequence);
  }

  /** Makes a message ready again that was taken and did not reach a client: unchanged. */
  public void release(long sequence) {
    if ((index.flags(sequence) & EntryFlags.REDELIVERED) != 0) {
      putBack(sequence);
    } else {
      unlock(sequence);
    }
  }

  /** Removes a message for good. */
  public void remove(long sequence) {
    noteForCopy(sequence);
    leaving(sequence);
    int flags = index.flags(sequence);
    if ((flags & LOCATED) == 0) {
      store.left(index.remove(sequence));
      return;
    }
    long location = index.location(sequence);
    int bodyLength = index.bodySize(sequence);
    store.left(index.remove(sequence));
    if ((flags & EntryFlags.STORED) != 0) {
      storedLeft(bodyLength);
      store.settle(sequence, location, bodyLength);
    } else {
      store.unpage(location, bodyLength);
    }
  }

  /**
   * Removes a message and puts it in elsewhere, under its number.
   *
   * @param other messages of a queue beside this one, without priorities
   * @param deadlineMillis its deadline there
   */
  public void moveTo(QueueMessages other, long sequence, long deadlineMillis) {
    if (loadedSequence == sequence) {
      loaded = null;
      loadedSequence = NONE;
    }
    long arrived = index.enqueuedAt(sequence);
    int marks = index.flags(sequence) & EntryFlags.REDELIVERED;
    if (!isStored(sequence)) {
      Message message = peek(sequence);
      remove(sequence);
      if (message != null) {
        other.take(sequence, message, deadlineMillis, arrived, marks);
      }
      return;
    }
    noteForCopy(sequence);
    leaving(sequence);
    long location = index.location(sequence);
    int bodyLength = index.bodySize(sequence);
    store.left(index.remove(sequence));
    storedLeft(bodyLength);
    store.removed(sequence, location, deadlineMillis);
    other.tookOver(sequence, bodyLength, deadlineMillis, arrived, location, marks);
  }

  /** Takes a message that the log has already. */
  private void tookOver(
      long sequence,
      int bodyLength,
      long deadlineMillis,
      long arrivedMillis,
      long location,
      int marks) {
    boolean last = sequence >= index.nextSequence();
    store.tookOver();
    int order = last ? 0 : EntryFlags.OUT_OF_ORDER;
    index.insert(
        sequence,
        null,
        bodyLength,
        deadlineMillis,
        arrivedMillis,
        EntryFlags.STORED | order | marks);
    index.setLocation(sequence, location);
    storedCount++;
    storedBytes += bodyLength;
    took(sequence, deadlineMillis, last);
  }

  /** Takes a message that the log does not have. */
  private void take(
      long sequence, Message message, long deadlineMillis, long arrivedMillis, int marks) {
    boolean last = sequence >= index.nextSequence();
    insert(sequence, message, deadlineMillis, arrivedMillis);
    int order = last ? 0 : EntryFlags.OUT_OF_ORDER;
    index.setFlags(sequence, index.flags(sequence) | order | marks);
    took(sequence, deadlineMillis, last);
  }

  private void took(long sequence, long deadlineMillis, boolean last) {
    if (copy != null) {
      copy.inserted(sequence);
    }
    if (last) {
      deadlines.appended(sequence, deadlineMillis);
    } else {
      deadlines.inserted(sequence);
    }
  }

  /**
   * Removes a dead message.
   *
   * @return its entry in the log, which the caller has to settle; null if the log has none
   */
  public UnsettledEntry detach(long sequence) {
    if (!isStored(sequence)) {
      remove(sequence);
      return null;
    }
    noteForCopy(sequence);
    leaving(sequence);
    long location = index.location(sequence);
    int bodyLength = index.bodySize(sequence);
    store.left(index.remove(sequence));
    storedLeft(bodyLength);
    return store.detach(sequence, location, bodyLength);
  }

  /** Writes a note to the log that a message was returned. */
  public void noteReturn(long sequence, long returns, long untilMillis) {
    if (isStored(sequence)) {
      store.returned(sequence, returns, untilMillis);
    }
  }

  /** Removes all ready messages for good. @return how many there were */
  public long clearReady() {
    index.forEachReady(this::leaveQueue);
    if (deliveryPriority != null) {
      deliveryPriority.cleared();
    }
    return index.clearReady();
  }

  /** Does the same as {@link #remove}, except for the index. */
  private void leaveQueue(long sequence) {
    noteForCopy(sequence);
    if (fairShares != null) {
      fairShares.leaving(sequence);
      fairShares.left(sequence);
    }
    int flags = index.flags(sequence);
    store.left(index.content(sequence));
    if ((flags & EntryFlags.STORED) != 0) {
      storedLeft(index.bodySize(sequence));
      store.settle(sequence, index.location(sequence), index.bodySize(sequence));
    } else if ((flags & EntryFlags.PAGED) != 0) {
      store.unpage(index.location(sequence), index.bodySize(sequence));
    }
  }

  /**
   * Releases some messages of a deleted queue: those that the log does not have. It forgets the
   * others together, when the queue is disposed of.
   *
   * @param most how many to look at
   * @return whether there are more to look at
   */
  public boolean disposeSome(int most) {
    for (int i = 0; i < most; i++) {
      long sequence = index.next(disposedUpTo);
      if (sequence == NONE) {
        return false;
      }
      disposedUpTo = sequence;
      if (!isStored(sequence)) {
        remove(sequence);
      }
    }
    return true;
  }

  /** Releases what a deleted queue holds. */
  public void dispose() {
    store.forget();
    if (deliveryPriority != null) {
      deliveryPriority.cleared();
    }
    fairShares = null;
    index.clear();
    storedCount = 0;
    storedBytes = 0;
  }

  // Copies

  /** Begins to copy the messages to another place. At most one copy is under way. */
  public MessageCopy copy() {
    copy = new MessageCopy(this);
    return copy;
  }

  void endCopy(MessageCopy ended) {
    if (copy == ended) {
      copy = null;
    }
  }

  private void noteForCopy(long sequence) {
    if (copy != null) {
      copy.changed(sequence);
    }
  }

  /** See {@link QueueStore#hasUnsettled}. */
  public boolean hasUnsettled() {
    return store.hasUnsettled();
  }

  /** Returns what takes the messages of another place, before the queue starts here. */
  public CopiedMessages copied() {
    if (copied == null) {
      copied = new CopiedMessages(this, store);
    }
    return copied;
  }

  // As the store sees it

  @Override
  public boolean recovered(
      long sequence,
      long ownDeadlineMillis,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location) {
    boolean isNew =
        recovery()
            .recovered(
                sequence, ownDeadlineMillis, enqueuedAtMillis, priority, bodyLength, location);
    if (isNew) {
      counters.add(Counter.ARRIVED, 1);
      storedCount++;
      storedBytes += bodyLength;
    }
    return isNew;
  }

  private QueueRecovery recovery() {
    if (recovery == null) {
      recovery = new QueueRecovery(index, deadlines, countsReturns, deliveryPriority);
    }
    return recovery;
  }

  /**
   * Returns up to which number messages may have been delivered before the recovery that has not
   * ended; -1 if none.
   */
  public long recoveredDelivered() {
    return recovery == null ? NONE : recovery.deliveredUpTo();
  }

  /**
   * Ends the recovery, or the copy from another place, when all messages are here.
   *
   * @param returned receives the messages that were returned by consumers, if the queue counts that
   * @param takeBack receives messages that are with consumers of another place; they are
   *     unacknowledged here
   */
  public void finishRecovery(
      long nowMillis, QueueRecovery.ReturnedMessages returned, LongConsumer takeBack) {
    if (fairShares != null) {
      fairShares.begin();
    }
    if (recovery != null) {
      QueueRecovery finished = recovery;
      recovery = null;
      finished.finish(nowMillis, returned);
    }
    if (copied != null) {
      CopiedMessages finished = copied;
      copied = null;
      finished.finish(returned, takeBack);
    }
  }

  /** Knows which messages were returned. */
  @FunctionalInterface
  public interface Returned {
    /** Notes them; see {@link RecoverableQueue#noteReturns}. */
    void note(RedeliveryNotes notes, int mostBytes);
  }

  public void noteReturnsBy(Returned known) {
    returned = known;
  }

  @Override
  public long locationOf(long sequence) {
    return index.contains(sequence) ? index.location(sequence) : QueueStore.NOWHERE;
  }

  @Override
  public long ownDeadlineOf(long sequence) {
    return deadlines.inLog(sequence);
  }

  @Override
  public long arrivalOf(long sequence) {
    return index.enqueuedAt(sequence);
  }

  @Override
  public int settled(long sequence) {
    int bodyLength = index.bodySize(sequence);
    if (fairShares != null) {
      fairShares.left(sequence);
    }
    index.remove(sequence);
    storedLeft(bodyLength);
    return bodyLength;
  }

  @Override
  public void recoveredDelivered(long upTo) {
    recovery().delivered(upTo);
  }

  @Override
  public void recoveredReturns(byte[] notes, boolean all) {
    recovery().returned(notes, all);
  }

  @Override
  public void noteReturns(RedeliveryNotes notes, int mostBytes) {
    if (recovery != null) {
      recovery.note(notes, mostBytes);
    } else if (copied != null) {
      copied.note(notes, mostBytes);
    } else if (returned != null) {
      returned.note(notes, mostBytes);
    }
  }

  @Override
  public boolean isLive(long sequence, long location, boolean paged) {
    return index.contains(sequence)
        && (index.flags(sequence) & (paged ? EntryFlags.PAGED : EntryFlags.STORED)) != 0
        && index.location(sequence) == location;
  }

  @Override
  public void moved(long sequence, long location) {
    index.setLocation(sequence, location);
  }

  @Override
  public void discard(long sequence) {
    if (index.contains(sequence)) {
      deadlines.leaving(sequence);
      remove(sequence);
    }
  }

  @Override
  public void forEachStored(EntrySink sink) {
    index.forEachReady(sequence -> offer(sequence, sink));
    index.forEachUnacked(sequence -> offer(sequence, sink));
  }

  private void offer(long sequence, EntrySink sink) {
    int flags = index.flags(sequence);
    if ((flags & LOCATED) != 0) {
      sink.accept(
          sequence,
          index.location(sequence),
          index.bodySize(sequence),
          index.enqueuedAt(sequence),
          (flags & EntryFlags.PAGED) != 0);
    }
  }
}
