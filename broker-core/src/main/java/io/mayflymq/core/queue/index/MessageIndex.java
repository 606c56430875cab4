package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.DeliveryCount;
import java.util.NoSuchElementException;
import java.util.function.LongConsumer;

/**
 * The messages of one queue: the metadata of each of them, packed into primitive columns.
 *
 * <h2>Why it looks like this</h2>
 *
 * <p>A queue has to hold ten million messages in a few hundred megabytes, and to enqueue, deliver
 * and acknowledge a message in a few nanoseconds; so there is no object per message, and no node in
 * a list or a map. Messages are numbered as they arrive, and a number never changes: it is the
 * order of the queue, the key that a delivery tag or an expiry entry refers to, and the address of
 * the entry here. 1,024 consecutive numbers share a {@link Page} of parallel arrays. An entry is
 * ready, unacknowledged (delivered, and waiting for its settlement) or gone, which is one bit in
 * either of two bitmaps of the page; taking a message and putting it back at its original place
 * flips two bits, and nothing is ever moved.
 *
 * <p>An entry costs 5 bytes for flags and body size, 0 to 4 bytes each for the enqueue time and the
 * deadline (8 if the page spans more than 24 days), 4 for the content's reference if any content is
 * in memory, and a quarter for its bits: 9 to 17 bytes as a rule. Pages well behind the tail are
 * packed, and then an entry costs 1 to 6 bytes. The first page of a queue starts small, since a
 * broker with very many queues has few messages in most of them.
 *
 * <h2>Finding things</h2>
 *
 * <p>Pages hang in a list in the order of the queue, and in a map by number. A page is freed when
 * its last entry goes, so a message that stays for ever while a hundred million flow past costs one
 * page and no time. The pages that have ready entries hang in a second list: its first page has the
 * head of the queue, however many unacknowledged messages stand before it. A page that joins that
 * list in the middle searches for its neighbours (see {@link PageDirectory}); everything else is
 * O(1).
 *
 * <p>A method that is given the sequence number of a message that is not here throws {@link
 * NoSuchElementException}, except for those that ask whether it is. Not thread-safe: belongs to the
 * thread that owns the queue.
 *
 * @param <T> the content of a message. The column of contents is a cache: null means that the
 *     content is elsewhere, and means nothing to this class.
 */
public final class MessageIndex<T> {
  /** The deadline of a message that does not expire. */
  public static final long NO_DEADLINE = LongColumn.NONE;

  private static final long NONE = -1;

  /** Visible to tests, which check that no reference to a content is left behind. */
  public final PageDirectory pages;

  private long nextSequence;
  private long sequenceAtRest;
  private long readyCount;
  private long readyBytes;
  private long unackedCount;
  private long unackedBytes;

  /**
   * Makes an empty index, which holds no page until the first message.
   *
   * @param pool the pool that pages are taken from and returned to, shared by the queues of a shard
   */
  public MessageIndex(PagePool pool) {
    pages = new PageDirectory(pool);
  }

  // Appending

  /**
   * Appends a message, ready.
   *
   * @param content the content, or null if it is not in memory
   * @param bodySize the size of its body in bytes, 0 or more
   * @param deadlineMillis when it expires, in milliseconds since the epoch, or {@link #NO_DEADLINE}
   * @param enqueuedAtMillis when it was enqueued, in milliseconds since the epoch
   * @param flags eight bits that are the caller's own; higher ones are ignored
   * @return its sequence number: one more than the one before
   */
  public long append(
      T content, int bodySize, long deadlineMillis, long enqueuedAtMillis, int flags) {
    long sequence = nextSequence;
    Page page = write(sequence, content, bodySize, deadlineMillis, enqueuedAtMillis, flags);
    addReady(page, offset(sequence), bodySize);
    return sequence;
  }

  /** Appends a message that is delivered at once: like {@link #append}, but unacknowledged. */
  public long appendUnacked(
      T content, int bodySize, long deadlineMillis, long enqueuedAtMillis, int flags) {
    long sequence = nextSequence;
    Page page = write(sequence, content, bodySize, deadlineMillis, enqueuedAtMillis, flags);
    addUnacked(page, offset(sequence), bodySize);
    return sequence;
  }

  /**
   * Puts a message in, ready, under a given sequence number, as recovery from the log does. Numbers
   * come in any order and may be skipped.
   *
   * @throws IllegalArgumentException if there is a message of this number
   */
  public void insert(
      long sequence,
      T content,
      int bodySize,
      long deadlineMillis,
      long enqueuedAtMillis,
      int flags) {
    int offset = offset(sequence);
    Page page;
    if (sequence >= nextSequence) {
      page = write(sequence, content, bodySize, deadlineMillis, enqueuedAtMillis, flags);
    } else {
      page = pages.get(pageNumber(sequence));
      if (page == null) {
        page = pages.insert(pageNumber(sequence));
      } else if (page.contains(offset)) {
        throw new IllegalArgumentException("there is a message " + sequence);
      }
      page.reach(offset);
      page.write(offset, content, bodySize, deadlineMillis, enqueuedAtMillis, flags);
    }
    addReady(page, offset, bodySize);
  }

  /** Returns the sequence number of the next appended message; the first one is 0. */
  public long nextSequence() {
    return nextSequence;
  }

  /**
   * Skips sequence numbers that were used before a restart and must not be used again.
   *
   * @throws IllegalArgumentException if the number is less than {@link #nextSequence()}
   */
  public void skipTo(long sequence) {
    if (sequence < nextSequence) {
      throw new IllegalArgumentException(sequence + " is before " + nextSequence);
    }
    nextSequence = sequence;
    if (pages.tail() != null) {
      freeIfDone(pages.tail());
    }
  }

  // Finding the next one

  /** The first ready message, which is the head of the queue; -1 if none is ready. */
  public long firstReady() {
    Page page = pages.readyHead();
    return page == null ? NONE : page.sequence(page.ready.first());
  }

  /** The last ready message; -1 if none is ready. */
  public long lastReady() {
    Page page = pages.readyTail();
    return page == null ? NONE : page.sequence(page.ready.last());
  }

  /**
   * The first ready message after the given number, which need not be one of a message that is
   * still here; -1 if there is none. Give -1 to start at the head.
   */
  public long nextReady(long after) {
    long from = after + 1;
    Page page = pages.readyCeiling(pageNumber(from));
    if (page != null && page.number == pageNumber(from)) {
      int offset = page.ready.ceiling(offset(from));
      if (offset != OffsetSet.NONE) {
        return page.sequence(offset);
      }
      page = page.nextReady;
    }
    return page == null ? NONE : page.sequence(page.ready.first());
  }

  /**
   * The first ready message of a priority after the given number; -1 if there is none. Pages
   * without one are passed quickly, but one after the other. Give -1 to start at the head.
   *
   * @param priority as set by {@link #setPriority}
   */
  public long nextReady(long after, int priority) {
    long from = after + 1;
    Page page = pages.readyCeiling(pageNumber(from));
    int start = page != null && page.number == pageNumber(from) ? offset(from) : 0;
    while (page != null) {
      int offset = page.readyCeiling(start, priority);
      if (offset != OffsetSet.NONE) {
        return page.sequence(offset);
      }
      page = page.nextReady;
      start = 0;
    }
    return NONE;
  }

  /**
   * The first message after the given number, ready or unacknowledged; -1 if there is none. Give -1
   * to start at the oldest one.
   */
  public long next(long after) {
    long from = after + 1;
    Page page = pages.ceiling(pageNumber(from));
    int start = page != null && page.number == pageNumber(from) ? offset(from) : 0;
    while (page != null) {
      int ready = page.ready.ceiling(start);
      int unacked = page.unacked.ceiling(start);
      if (ready != OffsetSet.NONE && unacked != OffsetSet.NONE) {
        return page.sequence(Math.min(ready, unacked));
      }
      if (ready != OffsetSet.NONE || unacked != OffsetSet.NONE) {
        return page.sequence(ready == OffsetSet.NONE ? unacked : ready);
      }
      page = page.next;
      start = 0;
    }
    return NONE;
  }

  // Moving between the states

  /**
   * Ready to unacknowledged.
   *
   * @return the content, or null if it is not in memory
   * @throws NoSuchElementException if the message is not ready
   */
  public T take(long sequence) {
    Page page = pages.get(pageNumber(sequence));
    int offset = offset(sequence);
    if (page == null || !page.ready.contains(offset)) {
      throw new NoSuchElementException("message " + sequence + " is not ready");
    }
    int bodySize = page.bodySize(offset);
    removeReady(page, offset, bodySize);
    addUnacked(page, offset, bodySize);
    return contentOf(page, offset);
  }

  /**
   * Unacknowledged to ready, at its original place.
   *
   * @throws NoSuchElementException if the message is not unacknowledged
   */
  public void requeue(long sequence) {
    Page page = pages.get(pageNumber(sequence));
    int offset = offset(sequence);
    if (page == null || !page.unacked.contains(offset)) {
      throw new NoSuchElementException("message " + sequence + " is not unacknowledged");
    }
    int bodySize = page.bodySize(offset);
    removeUnacked(page, offset, bodySize);
    addReady(page, offset, bodySize);
  }

  /**
   * Removes a message, ready or unacknowledged.
   *
   * @return its content, or null if that is not in memory
   * @throws NoSuchElementException if there is no such message
   */
  public T remove(long sequence) {
    Page page = pages.get(pageNumber(sequence));
    int offset = offset(sequence);
    if (page != null && page.unacked.contains(offset)) {
      removeUnacked(page, offset, page.bodySize(offset));
    } else if (page != null && page.ready.contains(offset)) {
      removeReady(page, offset, page.bodySize(offset));
    } else {
      throw absent(sequence);
    }
    T content = contentOf(page, offset);
    page.release(offset);
    freeIfDone(page);
    return content;
  }

  /** Removes all ready messages. @return how many there were */
  public long clearReady() {
    long count = readyCount;
    while (pages.readyHead() != null) {
      Page page = pages.readyHead();
      if (page.unacked.isEmpty()) {
        pages.unlinkReady(page);
        page.clear();
      } else {
        page.releaseReady();
        pages.unlinkReady(page);
      }
      freeIfDone(page);
    }
    readyCount = 0;
    readyBytes = 0;
    return count;
  }

  /** Removes all messages and gives all memory back; numbering goes on. */
  public void clear() {
    pages.clear();
    readyCount = 0;
    readyBytes = 0;
    unackedCount = 0;
    unackedBytes = 0;
  }

  /**
   * Periodic maintenance: an index that is empty and was not used since the last call frees 1 to 10
   * KB.
   */
  public void trimMemory() {
    if (nextSequence == sequenceAtRest) {
      pages.freeEmptyTail();
    }
    sequenceAtRest = nextSequence;
  }

  /** Packs the pages, after many messages were recovered. */
  public void pack() {
    pages.packAll();
  }

  // Looking at one message

  /** Whether the message is ready. */
  public boolean isReady(long sequence) {
    Page page = pages.get(pageNumber(sequence));
    return page != null && page.ready.contains(offset(sequence));
  }

  /** Whether the message is unacknowledged. */
  public boolean isUnacked(long sequence) {
    Page page = pages.get(pageNumber(sequence));
    return page != null && page.unacked.contains(offset(sequence));
  }

  /** Whether the message is here, ready or unacknowledged. */
  public boolean contains(long sequence) {
    Page page = pages.get(pageNumber(sequence));
    return page != null && page.contains(offset(sequence));
  }

  /** The content of a message, or null if that is not in memory. */
  public T content(long sequence) {
    return contentOf(existing(sequence), offset(sequence));
  }

  /** Returns the location of a message in a file; undefined if no location was set. */
  public long location(long sequence) {
    return existing(sequence).location(offset(sequence));
  }

  /** Sets where a message is in a file. */
  public void setLocation(long sequence, long location) {
    existing(sequence).setLocation(offset(sequence), location);
  }

  /** When a message expires, in milliseconds since the epoch; {@link #NO_DEADLINE} if never. */
  public long deadline(long sequence) {
    return existing(sequence).deadline(offset(sequence));
  }

  /** Sets when a message expires, in the form that {@link #deadline} returns. */
  public void setDeadline(long sequence, long deadlineMillis) {
    existing(sequence).setDeadline(offset(sequence), deadlineMillis);
  }

  /** When a message was enqueued, in milliseconds since the epoch. */
  public long enqueuedAt(long sequence) {
    return existing(sequence).enqueuedAt(offset(sequence));
  }

  /** The size of a message's body in bytes. */
  public int bodySize(long sequence) {
    return existing(sequence).bodySize(offset(sequence));
  }

  /** The caller's flags of a message, 0 to 255. */
  public int flags(long sequence) {
    return existing(sequence).flags(offset(sequence));
  }

  /** Sets the caller's flags of a message; bits above the lowest eight are ignored. */
  public void setFlags(long sequence, int flags) {
    existing(sequence).setFlags(offset(sequence), flags);
  }

  /** Returns the priority of a message, 0 to 255; 0 until set. */
  public int priority(long sequence) {
    return existing(sequence).priority(offset(sequence));
  }

  /** Sets the priority. The memory for it is taken when the first one other than 0 is set. */
  public void setPriority(long sequence, int priority) {
    existing(sequence).setPriority(offset(sequence), priority);
  }

  /** Returns the share of a message; 0 until set. */
  int share(long sequence) {
    return existing(sequence).share(offset(sequence));
  }

  /** Sets the share. The memory for it is taken when the first one other than 0 is set. */
  void setShare(long sequence, int share) {
    existing(sequence).setShare(offset(sequence), share);
  }

  /** Returns how often a message has come back, as {@link DeliveryCount} packs it; 0 until set. */
  public long returns(long sequence) {
    return existing(sequence).returns(offset(sequence));
  }

  /** Sets that count. The memory for it is taken when the first one other than 0 is set. */
  public void setReturns(long sequence, long count) {
    existing(sequence).setReturns(offset(sequence), count);
  }

  // Looking at all

  /** How many messages are ready. */
  public long readyCount() {
    return readyCount;
  }

  /** The sum of the body sizes of the ready messages, in bytes. */
  public long readyBytes() {
    return readyBytes;
  }

  /** How many messages are unacknowledged. */
  public long unackedCount() {
    return unackedCount;
  }

  /** The sum of the body sizes of the unacknowledged messages, in bytes. */
  public long unackedBytes() {
    return unackedBytes;
  }

  /** Returns how many pages are held, not counting the spare ones of the pool. */
  public int pageCount() {
    return pages.size();
  }

  /**
   * Visits the ready messages in order. The action may change the index in any way, also remove the
   * message that it is given; messages that are appended meanwhile are not visited.
   */
  public void forEachReady(LongConsumer action) {
    long end = nextSequence;
    long sequence = firstReady();
    while (sequence != NONE && sequence < end) {
      action.accept(sequence);
      sequence = nextReady(sequence);
    }
  }

  /**
   * Visits the unacknowledged messages in order. The action may remove or requeue the message that
   * it is given, and append messages, which are not visited; it must not change the others. Pages
   * without unacknowledged messages are skipped, and the visit ends at the last page that has some.
   */
  public void forEachUnacked(LongConsumer action) {
    long end = nextSequence;
    long unseen = unackedCount;
    long from = 0;
    Page page = pages.head();
    while (unseen > 0 && page != null && page.sequence(0) < end) {
      int start = page.number == pageNumber(from) ? offset(from) : 0;
      int offset = page.unacked.ceiling(start);
      if (offset == OffsetSet.NONE) {
        page = page.next;
        continue;
      }
      long sequence = page.sequence(offset);
      if (sequence >= end) {
        return;
      }
      unseen--;
      action.accept(sequence);
      from = sequence + 1;
      page = pages.ceiling(pageNumber(from));
    }
  }

  // Pages

  private static long pageNumber(long sequence) {
    return sequence >>> Page.BITS;
  }

  private static int offset(long sequence) {
    return (int) sequence & Page.MASK;
  }

  @SuppressWarnings("unchecked") // only contents of type T get in
  private T contentOf(Page page, int offset) {
    return (T) page.content(offset);
  }

  private Page existing(long sequence) {
    Page page = pages.get(pageNumber(sequence));
    if (page == null || !page.contains(offset(sequence))) {
      throw absent(sequence);
    }
    return page;
  }

  private static NoSuchElementException absent(long sequence) {
    return new NoSuchElementException("there is no message " + sequence);
  }

  private Page write(
      long sequence,
      T content,
      int bodySize,
      long deadlineMillis,
      long enqueuedAtMillis,
      int flags) {
    Page page = pages.tail();
    if (page == null || page.number != pageNumber(sequence)) {
      page = pages.open(pageNumber(sequence), offset(sequence));
    }
    page.write(offset(sequence), content, bodySize, deadlineMillis, enqueuedAtMillis, flags);
    nextSequence = sequence + 1;
    return page;
  }

  /** Frees a page without entries, unless the next message belongs there. */
  private void freeIfDone(Page page) {
    if (page.isEmpty() && page.number != pageNumber(nextSequence)) {
      pages.free(page);
    }
  }

  private void addReady(Page page, int offset, int bodySize) {
    boolean joins = page.ready.isEmpty();
    page.ready.add(offset);
    if (joins) {
      pages.linkReady(page);
    }
    readyCount++;
    readyBytes += bodySize;
  }

  private void removeReady(Page page, int offset, int bodySize) {
    page.ready.remove(offset);
    if (page.ready.isEmpty()) {
      pages.unlinkReady(page);
    }
    readyCount--;
    readyBytes -= bodySize;
  }

  private void addUnacked(Page page, int offset, int bodySize) {
    page.unacked.add(offset);
    unackedCount++;
    unackedBytes += bodySize;
  }

  private void removeUnacked(Page page, int offset, int bodySize) {
    page.unacked.remove(offset);
    unackedCount--;
    unackedBytes -= bodySize;
  }
}
