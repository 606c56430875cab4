package io.mayflymq.core.queue.index;

/**
 * The pages of an index by their number: an open-addressing table with linear probing, without a
 * key array and tombstones. Page numbers are mostly consecutive, so the number itself is the hash:
 * consecutive numbers fill the table without a collision. It holds no memory before its first use,
 * and shrinks.
 */
final class PageMap {
  private static final int SMALLEST_TABLE = 4;
  private static final Page[] NO_TABLE = {};

  private Page[] table = NO_TABLE;
  private int size;

  int size() {
    return size;
  }

  Page get(long number) {
    int mask = table.length - 1;
    if (mask < 0) {
      return null;
    }
    for (int i = (int) number & mask; table[i] != null; i = (i + 1) & mask) {
      if (table[i].number == number) {
        return table[i];
      }
    }
    return null;
  }

  /** Adds a page whose number is not in the map. */
  void add(Page page) {
    if (size >= table.length / 2) {
      resize(Math.max(SMALLEST_TABLE, table.length * 2));
    }
    insert(page);
    size++;
  }

  /** Removes a page that is in the map, and closes the gap that it leaves in its run. */
  void remove(Page page) {
    int mask = table.length - 1;
    int gap = (int) page.number & mask;
    while (table[gap] != page) {
      gap = (gap + 1) & mask;
    }
    for (int i = (gap + 1) & mask; table[i] != null; i = (i + 1) & mask) {
      int home = (int) table[i].number & mask;
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        table[gap] = table[i];
        gap = i;
      }
    }
    table[gap] = null;
    size--;
    if (table.length > SMALLEST_TABLE && size <= table.length / 8) {
      resize(table.length / 2);
    }
  }

  void clear() {
    table = NO_TABLE;
    size = 0;
  }

  private void insert(Page page) {
    int mask = table.length - 1;
    int i = (int) page.number & mask;
    while (table[i] != null) {
      i = (i + 1) & mask;
    }
    table[i] = page;
  }

  private void resize(int length) {
    Page[] old = table;
    table = new Page[length];
    for (Page page : old) {
      if (page != null) {
        insert(page);
      }
    }
  }
}
