package io.mayflymq.cluster.store;

import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.segment.ReplicaQueues.TakenSink;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * The messages of one queue: for each, where it is. As numbers are given one after the other, they
 * are kept in pages, which take about 14 bytes a message.
 */
final class FollowerQueue {
  private static final int MASK = EntryPage.SIZE - 1;

  /** The pages by the numbers in them, without their last bits. */
  private final TreeMap<Long, EntryPage> pages = new TreeMap<>();

  private EntryPage lastPage;
  private long lastPageNumber;
  private long count;
  private long delivered = -1;

  /** Decides which of the messages are meant. */
  @FunctionalInterface
  public interface Choice {
    /** Returns whether the message at a location is. */
    boolean test(long location);
  }

  /** Returns how many messages it has. */
  public long count() {
    return count;
  }

  /** Returns up to which number messages may have been delivered; negative for none. */
  long delivered() {
    return delivered;
  }

  void delivered(long upTo) {
    delivered = Math.max(delivered, upTo);
  }

  private static long pageOf(long sequence) {
    return sequence >> EntryPage.BITS;
  }

  private static int indexOf(long sequence) {
    return (int) sequence & MASK;
  }

  /** Returns the page of a message; null if there is none. */
  private EntryPage find(long sequence) {
    long number = pageOf(sequence);
    if (lastPage == null || lastPageNumber != number) {
      EntryPage found = pages.get(number);
      if (found == null) {
        return null;
      }
      lastPage = found;
      lastPageNumber = number;
    }
    return lastPage;
  }

  private EntryPage make(long sequence) {
    EntryPage page = find(sequence);
    if (page == null) {
      page = new EntryPage();
      lastPageNumber = pageOf(sequence);
      lastPage = page;
      pages.put(lastPageNumber, page);
    }
    return page;
  }

  /** Returns the location of a message; 0 if it is not here. */
  public long location(long sequence) {
    EntryPage page = find(sequence);
    return page == null ? 0 : page.location(indexOf(sequence));
  }

  /** Adds a message. @return false if it is here already */
  public boolean put(long sequence, long location, int bodyLength) {
    EntryPage page = make(sequence);
    int index = indexOf(sequence);
    if (page.location(index) != 0) {
      return false;
    }
    page.put(index, location, bodyLength);
    count++;
    return true;
  }

  /**
   * Adds a message that was removed from its queue, and can be brought back.
   *
   * @param stamp when and why
   * @return false if it is here already
   */
  boolean keep(long sequence, long location, int bodyLength, long stamp) {
    boolean isNew = put(sequence, location, bodyLength);
    if (isNew) {
      find(sequence).stamp(indexOf(sequence), stamp);
    }
    return isNew;
  }

  /** Returns the stamp of a message that {@link #keep} has added. */
  long stampOf(long sequence) {
    return find(sequence).stampOf(indexOf(sequence));
  }

  /** Sets the new location of a message that is here. */
  public void move(long sequence, long location) {
    find(sequence).move(indexOf(sequence), location);
  }

  /**
   * Removes messages, in order.
   *
   * @param choice which ones of them
   * @param mayCome whether they may come again, as the log is being recovered
   */
  public void take(long from, long to, Choice choice, boolean mayCome, TakenSink sink) {
    Iterator<Map.Entry<Long, EntryPage>> range =
        pages.subMap(pageOf(from), true, pageOf(to), true).entrySet().iterator();
    while (range.hasNext()) {
      Map.Entry<Long, EntryPage> entry = range.next();
      EntryPage page = entry.getValue();
      long first = entry.getKey() << EntryPage.BITS;
      int end = (int) Math.min(MASK, to - first);
      for (int i = (int) Math.max(0, from - first); i <= end; i++) {
        long location = page.location(i);
        if (location != 0 && choice.test(location)) {
          int bodyLength = page.bodyLength(i);
          page.remove(i);
          count--;
          sink.accept(first + i, location, bodyLength);
        }
      }
      if (mayCome ? page.isUnused() : page.entries() == 0) {
        range.remove();
        lastPage = null;
      }
    }
  }

  /** Visits messages, in order; none if the first number is higher than the last one. */
  public void visit(long from, long to, TakenSink sink) {
    if (from > to) {
      return;
    }
    pages
        .subMap(pageOf(from), true, pageOf(to), true)
        .forEach(
            (number, page) -> {
              long first = number << EntryPage.BITS;
              int end = (int) Math.min(MASK, to - first);
              for (int i = (int) Math.max(0, from - first); i <= end; i++) {
                if (page.location(i) != 0) {
                  sink.accept(first + i, page.location(i), page.bodyLength(i));
                }
              }
            });
  }

  /** Returns the highest number of a message; -1 if there is none. */
  public long highest() {
    for (Map.Entry<Long, EntryPage> entry : pages.descendingMap().entrySet()) {
      for (int i = MASK; i >= 0; i--) {
        if (entry.getValue().location(i) != 0) {
          return (entry.getKey() << EntryPage.BITS) + i;
        }
      }
    }
    return -1;
  }

  // Returns

  /** Takes notes; of messages that are not here only if these may still come. */
  void returned(byte[] notes, boolean all, boolean mayCome) {
    if (all) {
      pages.values().forEach(EntryPage::dropNotes);
      pages.values().removeIf(EntryPage::isUnused);
      lastPage = null;
    }
    RedeliveryNotes.forEach(
        notes,
        (sequence, returns, until) -> {
          if (mayCome || location(sequence) != 0) {
            make(sequence).note(indexOf(sequence), returns, until);
          }
        });
  }

  /** The log has been recovered: notes about messages that have not come are dropped. */
  void recovered() {
    pages.values().removeIf(page -> page.entries() == 0);
    lastPage = null;
  }

  /** Adds the notes about all messages. */
  void notes(RedeliveryNotes notes, int mostBytes) {
    pages.forEach((number, page) -> page.notes(number << EntryPage.BITS, notes, mostBytes));
  }
}
