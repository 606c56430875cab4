package io.mayflymq.core.queue.index;

import java.util.function.LongPredicate;

/**
 * The pages of a {@link MessageIndex}: in the order of the queue, by number, and those that have
 * ready entries.
 *
 * <p>Consecutive operations nearly always use the same page: the one used last, the tail or the
 * head. These three are cached; only other pages are looked up in the map.
 *
 * <p>The first page with ready entries holds the head of the queue, however many unacknowledged
 * messages stand before it. A page that is inserted into that list in the middle (a message is
 * requeued between pages with ready messages) searches for its neighbours in both directions at
 * once; at either end, which is nearly always the case, no search is needed.
 */
public final class PageDirectory {
  /** How many pages at the tail are never packed: 16,384 messages. */
  private static final int LOOSE_PAGES = 16;

  private final PagePool pool;
  private final PageMap byNumber = new PageMap();

  private Page head;
  private Page tail;
  private Page readyHead;
  private Page readyTail;

  /** The page used last; null only if there is no page. */
  private Page near;

  PageDirectory(PagePool pool) {
    this.pool = pool;
  }

  int size() {
    return byNumber.size();
  }

  public Page head() {
    return head;
  }

  Page tail() {
    return tail;
  }

  Page readyHead() {
    return readyHead;
  }

  Page readyTail() {
    return readyTail;
  }

  /** Returns the page of a number; null if it has been freed. */
  Page get(long number) {
    Page page = near;
    if (page == null || page.number == number) {
      return page;
    }
    if (tail.number == number) {
      page = tail;
    } else if (readyHead != null && readyHead.number == number) {
      page = readyHead;
    } else {
      page = byNumber.get(number);
    }
    if (page != null) {
      near = page;
    }
    return page;
  }

  /**
   * Returns the first page whose number is not less than the given one; null if there is none. A
   * missing page has usually been freed just now, and then its neighbour is close.
   */
  Page ceiling(long number) {
    Page page = get(number);
    if (page == null) {
      page = near;
      while (page != null && page.previous != null && page.previous.number >= number) {
        page = page.previous;
      }
      while (page != null && page.number < number) {
        page = page.next;
      }
    }
    return page;
  }

  /**
   * Appends a page, and frees the tail before if that has no entries.
   *
   * @param number its number, higher than that of any page
   * @param offset the offset of the entry that it will begin with
   */
  Page open(long number, int offset) {
    freeEmptyTail();
    Page page = makePage(offset);
    page.open(number, offset);
    page.previous = tail;
    if (tail == null) {
      head = page;
    } else {
      tail.next = page;
    }
    tail = page;
    near = page;
    byNumber.add(page);
    packRested();
    return page;
  }

  /**
   * Packs the page that is {@link #LOOSE_PAGES} behind the tail, as its messages are likely to stay
   * for a while; a queue that is emptied as fast as it is filled has no such page.
   */
  private void packRested() {
    Page page = tail;
    for (int i = 0; page != null && i < LOOSE_PAGES; i++) {
      page = page.previous;
    }
    if (page != null) {
      page.pack();
    }
  }

  /** Packs all pages but the last ones; to be called when all messages were recovered at start. */
  void packAll() {
    Page page = tail;
    for (int i = 0; page != null; i++, page = page.previous) {
      if (i >= LOOSE_PAGES) {
        page.pack();
      }
    }
  }

  /**
   * Inserts a page that begins at offset 0 at the place of its number. The caller then adds an
   * entry.
   */
  Page insert(long number) {
    Page before = tail == null ? null : ceiling(number);
    Page after = before == null ? tail : before.previous;
    Page page = pool.take();
    if (page == null) {
      page = Page.full();
    }
    page.open(number, 0);
    page.previous = after;
    page.next = before;
    if (after == null) {
      head = page;
    } else {
      after.next = page;
    }
    if (before == null) {
      tail = page;
    } else {
      before.previous = page;
    }
    near = page;
    byNumber.add(page);
    return page;
  }

  /**
   * Makes a page. The only page of a queue starts small, unless it begins at offset 0: then
   * messages are flowing, and the page that was freed before is usually in the pool.
   */
  private Page makePage(int offset) {
    if (tail == null && offset != 0) {
      return Page.small();
    }
    Page page = pool.take();
    if (page != null) {
      return page;
    }
    return tail == null ? Page.small() : Page.full();
  }

  /** Frees the page that an empty index keeps for the next entry, if there is one. */
  void freeEmptyTail() {
    if (tail != null && tail.isEmpty()) {
      free(tail);
    }
  }

  /** Removes a page that has no ready entries from the lists, and returns it to the pool. */
  void free(Page page) {
    byNumber.remove(page);
    if (page.previous == null) {
      head = page.next;
    } else {
      page.previous.next = page.next;
    }
    if (page.next == null) {
      tail = page.previous;
    } else {
      page.next.previous = page.previous;
    }
    if (near == page) {
      near = page.next == null ? page.previous : page.next;
    }
    page.previous = null;
    page.next = null;
    pool.giveBack(page);
  }

  /** Removes all pages and frees all memory. */
  void clear() {
    while (head != null) {
      Page page = head;
      if (!page.ready.isEmpty()) {
        unlinkReady(page);
      }
      free(page);
    }
    byNumber.clear();
  }

  /** Adds a page to the list when it has got its first ready entry. */
  void linkReady(Page page) {
    Page after = readyHead == null || page.number < readyHead.number ? null : readyBefore(page);
    Page before = after == null ? readyHead : after.nextReady;
    page.previousReady = after;
    page.nextReady = before;
    if (after == null) {
      readyHead = page;
    } else {
      after.nextReady = page;
    }
    if (before == null) {
      readyTail = page;
    } else {
      before.previousReady = page;
    }
  }

  /** Returns the last page with ready entries before this one, which is not the first such page. */
  private Page readyBefore(Page page) {
    if (page.number > readyTail.number) {
      return readyTail;
    }
    Page down = page.previous;
    Page up = page.next;
    while (true) {
      if (!down.ready.isEmpty()) {
        return down;
      }
      if (!up.ready.isEmpty()) {
        return up.previousReady;
      }
      down = down.previous;
      up = up.next;
    }
  }

  /** Removes a page from the list when it has lost its last ready entry. */
  void unlinkReady(Page page) {
    if (page.previousReady == null) {
      readyHead = page.nextReady;
    } else {
      page.previousReady.nextReady = page.nextReady;
    }
    if (page.nextReady == null) {
      readyTail = page.previousReady;
    } else {
      page.nextReady.previousReady = page.previousReady;
    }
    page.previousReady = null;
    page.nextReady = null;
  }

  /** The first page of this number or a higher one that has ready entries, or null. */
  Page readyCeiling(long number) {
    if (readyHead == null || number > readyTail.number) {
      return null;
    }
    Page page = readyHead;
    if (number > page.number) {
      page = ceiling(number);
      while (page.ready.isEmpty()) {
        page = page.next;
      }
    }
    return page;
  }

  /**
   * Returns the first entry that is not ready, -1 if there is none. Checks one page after the
   * other.
   */
  public long firstUnacked() {
    for (Page page = head; page != null; page = page.next) {
      if (!page.unacked.isEmpty()) {
        return page.sequence(page.unacked.first());
      }
    }
    return -1;
  }

  /** Returns the number of the ready entry at this position; -1 if there is none. */
  public long readyAt(long position) {
    long left = position;
    for (Page page = readyHead; page != null; page = page.nextReady) {
      int size = page.ready.size();
      if (left < size) {
        int offset = page.ready.first();
        for (; left > 0; left--) {
          offset = page.ready.ceiling(offset + 1);
        }
        return page.sequence(offset);
      }
      left -= size;
    }
    return -1;
  }

  /**
   * Returns how many ready entries come before the first one that fails a test. All entries after
   * that one must fail too: if the last entry of a page passes, the others of that page are not
   * tested.
   */
  public long countReadyWhile(LongPredicate test) {
    long count = 0;
    for (Page page = readyHead; page != null; page = page.nextReady) {
      if (test.test(page.sequence(page.ready.last()))) {
        count += page.ready.size();
        continue;
      }
      int offset = page.ready.first();
      while (test.test(page.sequence(offset))) {
        count++;
        offset = page.ready.ceiling(offset + 1);
      }
      return count;
    }
    return count;
  }
}
