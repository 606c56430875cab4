package io.mayflymq.core.queue.index;

/**
 * The spare pages of one shard. Queues that messages flow through free a page at the head for each
 * that they fill at the tail; a few spare ones, shared by all queues of the shard, spare them the
 * allocation without each queue hoarding its own.
 *
 * <p>Not thread-safe: belongs to the thread of the shard.
 */
public final class PagePool {
  private final int maxSpare;

  /** The spare pages, linked through {@link Page#next}. */
  private Page spare;

  private int spareCount;

  /**
   * Makes a pool.
   *
   * @param maxSpare how many pages to keep, 0 or more; each takes 5 to 10 KB
   */
  public PagePool(int maxSpare) {
    this.maxSpare = maxSpare;
  }

  /** How many pages are kept in hand at the moment. */
  public int spareCount() {
    return spareCount;
  }

  /** Gives back the memory of all spare pages. */
  public void clear() {
    spare = null;
    spareCount = 0;
  }

  /** A clear page of full size, or null if there is none. */
  public Page take() {
    Page page = spare;
    if (page != null) {
      spare = page.next;
      page.next = null;
      spareCount--;
    }
    return page;
  }

  /**
   * Takes back a page that is in no list any more; only those of full size and not packed are worth
   * keeping.
   */
  void giveBack(Page page) {
    if (spareCount < maxSpare && page.isReusable()) {
      page.clear();
      page.next = spare;
      spare = page;
      spareCount++;
    }
  }
}
