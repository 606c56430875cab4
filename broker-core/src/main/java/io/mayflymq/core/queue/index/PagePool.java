package io.mayflymq.core.queue.index;

/**
 * The spare pages of one shard. A queue with a steady flow of messages frees a page at the head for
 * each page that it fills at the tail. A few spare pages, shared by all queues of the shard, save
 * these allocations, without each queue keeping its own.
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

  /** Returns how many spare pages there are. */
  public int spareCount() {
    return spareCount;
  }

  /** Frees the memory of all spare pages. */
  public void clear() {
    spare = null;
    spareCount = 0;
  }

  /** Takes an empty page of full size; null if there is none. */
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
   * Returns a page that is in no list any more; only pages of full size that are not packed are
   * kept.
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
