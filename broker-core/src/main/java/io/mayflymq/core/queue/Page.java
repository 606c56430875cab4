package io.mayflymq.core.queue;

import java.util.Arrays;

/**
 * 1,024 consecutive sequence numbers of a {@link MessageIndex}: the columns of their entries, and
 * which of them are ready or unacknowledged. An offset is the sequence number modulo 1,024; a slot
 * is the entry's place in the columns, counted from the first offset that was appended, so that the
 * columns of a queue with few messages can be short.
 */
final class Page {
  static final int BITS = 10;
  static final int ENTRIES = 1 << BITS;
  static final int MASK = ENTRIES - 1;

  private static final int SMALLEST_CAPACITY = 32;

  long number;

  /** Neighbours in the list of all pages of the index. */
  Page previous;

  Page next;

  /** Neighbours in the list of the pages that have ready entries. */
  Page previousReady;

  Page nextReady;

  final OffsetSet ready = new OffsetSet();
  final OffsetSet unacked = new OffsetSet();

  private int firstOffset;
  private int capacity;

  // The columns: one value per slot each. A new column goes here, in reserve() and in clear().
  private byte[] flags;
  private int[] bodySizes;
  private final LongColumn deadlines = new LongColumn();
  private final LongColumn enqueueTimes = new LongColumn();

  /** Only where an entry is in a file has it a meaning. */
  private final LongColumn locations = new LongColumn();

  /** Null until one is not 0: what most queues never have costs nothing. */
  private int[] extras;

  /** Null until there is a content: what is only in the log costs nothing here. */
  private Object[] contents;

  Page(int capacity) {
    this.capacity = capacity;
    flags = new byte[capacity];
    bodySizes = new int[capacity];
  }

  /** A page for a queue that may never hold more than a few messages. */
  static Page small() {
    return new Page(SMALLEST_CAPACITY);
  }

  static Page full() {
    return new Page(ENTRIES);
  }

  /** Prepares an unused page for its sequence numbers; the first entry will be at the offset. */
  void open(long pageNumber, int offset) {
    number = pageNumber;
    firstOffset = offset;
  }

  /** Forgets all entries, and every reference to a content. */
  void clear() {
    ready.clear();
    unacked.clear();
    deadlines.clear();
    enqueueTimes.clear();
    locations.clear();
    extras = null;
    if (contents != null) {
      Arrays.fill(contents, null);
    }
  }

  boolean isFull() {
    return capacity == ENTRIES;
  }

  boolean isEmpty() {
    return ready.isEmpty() && unacked.isEmpty();
  }

  boolean contains(int offset) {
    return ready.contains(offset) || unacked.contains(offset);
  }

  long sequence(int offset) {
    return (number << BITS) + offset;
  }

  /** Writes the columns of a new entry, whose offset is not less than the first one's. */
  void write(
      int offset,
      Object content,
      int bodySize,
      long deadlineMillis,
      long enqueuedAtMillis,
      int flagBits) {
    int slot = offset - firstOffset;
    if (slot >= capacity) {
      reserve(slot + 1);
    }
    flags[slot] = (byte) flagBits;
    bodySizes[slot] = bodySize;
    deadlines.set(slot, deadlineMillis, capacity);
    enqueueTimes.set(slot, enqueuedAtMillis, capacity);
    if (extras != null) {
      extras[slot] = 0;
    }
    setContent(offset, content);
  }

  /** Forgets all ready entries. */
  void releaseReady() {
    for (int i = ready.first(); i != OffsetSet.NONE; i = ready.ceiling(i)) {
      ready.remove(i);
      release(i);
    }
  }

  /** Forgets the reference that an entry holds. */
  void release(int offset) {
    if (contents != null) {
      contents[offset - firstOffset] = null;
    }
  }

  Object content(int offset) {
    return contents == null ? null : contents[offset - firstOffset];
  }

  void setContent(int offset, Object content) {
    if (contents == null) {
      if (content == null) {
        return;
      }
      contents = new Object[capacity];
    }
    contents[offset - firstOffset] = content;
  }

  /** How many contents are referred to; for tests. */
  int heldContents() {
    int held = 0;
    for (int slot = 0; contents != null && slot < capacity; slot++) {
      held += contents[slot] == null ? 0 : 1;
    }
    return held;
  }

  int bodySize(int offset) {
    return bodySizes[offset - firstOffset];
  }

  int flags(int offset) {
    return flags[offset - firstOffset] & 0xFF;
  }

  void setFlags(int offset, int flagBits) {
    flags[offset - firstOffset] = (byte) flagBits;
  }

  int extra(int offset) {
    return extras == null ? 0 : extras[offset - firstOffset];
  }

  void setExtra(int offset, int value) {
    if (extras == null) {
      if (value == 0) {
        return;
      }
      extras = new int[capacity];
    }
    extras[offset - firstOffset] = value;
  }

  long deadline(int offset) {
    return deadlines.get(offset - firstOffset);
  }

  void setDeadline(int offset, long deadlineMillis) {
    deadlines.set(offset - firstOffset, deadlineMillis, capacity);
  }

  long enqueuedAt(int offset) {
    return enqueueTimes.get(offset - firstOffset);
  }

  long location(int offset) {
    return locations.get(offset - firstOffset);
  }

  void setLocation(int offset, long location) {
    locations.set(offset - firstOffset, location, capacity);
  }

  /** Makes room for an entry before all others: recovery brings them in any order. */
  void reach(int offset) {
    if (offset >= firstOffset) {
      return;
    }
    int slots = firstOffset;
    flags = LongColumn.shifted(flags, new byte[ENTRIES], capacity, slots, ENTRIES);
    bodySizes = LongColumn.shifted(bodySizes, new int[ENTRIES], capacity, slots, ENTRIES);
    deadlines.shift(slots, ENTRIES);
    enqueueTimes.shift(slots, ENTRIES);
    locations.shift(slots, ENTRIES);
    if (extras != null) {
      extras = LongColumn.shifted(extras, new int[ENTRIES], capacity, slots, ENTRIES);
    }
    if (contents != null) {
      contents = LongColumn.shifted(contents, new Object[ENTRIES], capacity, slots, ENTRIES);
    }
    firstOffset = 0;
    capacity = ENTRIES;
  }

  private void reserve(int slots) {
    int larger = capacity;
    while (larger < slots) {
      larger = Math.min(ENTRIES, larger * 4);
    }
    flags = Arrays.copyOf(flags, larger);
    bodySizes = Arrays.copyOf(bodySizes, larger);
    deadlines.grow(larger);
    enqueueTimes.grow(larger);
    locations.grow(larger);
    if (extras != null) {
      extras = Arrays.copyOf(extras, larger);
    }
    if (contents != null) {
      contents = Arrays.copyOf(contents, larger);
    }
    capacity = larger;
  }
}
