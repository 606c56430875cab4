package io.mayflymq.core.queue.index;

import java.util.Arrays;

/**
 * 1,024 consecutive sequence numbers of a {@link MessageIndex}: the columns of their entries, and
 * which of them are ready or unacknowledged. An offset is the sequence number modulo 1,024; a slot
 * is the entry's place in the columns, counted from the first offset that was appended, so that the
 * columns of a queue with few messages can be short.
 *
 * <p>A page at rest is packed: its columns take only as many bits as their values need, usually a
 * byte or two a message instead of 13 to 17, and can be read without unpacking.
 */
public final class Page {
  public static final int BITS = 10;
  static final int ENTRIES = 1 << BITS;
  static final int MASK = ENTRIES - 1;

  private static final int SMALLEST_CAPACITY = 8;

  long number;

  /** Neighbours in the list of all pages of the index. */
  Page previous;

  public Page next;

  /** Neighbours in the list of the pages that have ready entries. */
  Page previousReady;

  Page nextReady;

  final OffsetSet ready = new OffsetSet();
  final OffsetSet unacked = new OffsetSet();

  private int firstOffset;
  private int capacity;

  // The columns: one value per slot each. A new column goes here, in reserve() and in clear().
  // The first two are null while they are packed.
  private byte[] flags;
  private int[] bodySizes;
  private PackedColumn packedFlags;
  private PackedColumn packedSizes;
  private final LongColumn deadlines = new LongColumn();
  private final LongColumn enqueueTimes = new LongColumn();

  /** Undefined for an entry that is not in a file. */
  private final LongColumn locations = new LongColumn();

  private final PriorityColumn priorities = new PriorityColumn();

  private final ShareColumn shares = new ShareColumn();

  /** Null until one is not 0: most queues never use them. */
  private long[] returns;

  /** Null until an entry has a content in memory. */
  private Object[] contents;

  Page(int capacity) {
    this.capacity = capacity;
    flags = new byte[capacity];
    bodySizes = new int[capacity];
  }

  /** Creates a page for a queue that may never hold more than a few messages. */
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

  /** Clears all entries, and every reference to a content. */
  void clear() {
    ready.clear();
    unacked.clear();
    deadlines.clear();
    enqueueTimes.clear();
    locations.clear();
    priorities.clear();
    shares.clear();
    returns = null;
    if (contents != null) {
      Arrays.fill(contents, null);
    }
  }

  /** Whether it has full size, with arrays that are worth keeping. */
  boolean isReusable() {
    return capacity == ENTRIES && flags != null && bodySizes != null;
  }

  /** Packs the columns of a page that is full and will not be used for a while. */
  public void pack() {
    if (capacity < ENTRIES || firstOffset > 0) {
      return;
    }
    long[] scratch = new long[ENTRIES];
    if (flags != null) {
      for (int slot = 0; slot < ENTRIES; slot++) {
        scratch[slot] = flags[slot];
      }
      packedFlags = PackedColumn.of(scratch);
      flags = null;
    }
    if (bodySizes != null) {
      for (int slot = 0; slot < ENTRIES; slot++) {
        scratch[slot] = bodySizes[slot];
      }
      packedSizes = PackedColumn.of(scratch);
      if (packedSizes != null) {
        bodySizes = null;
      }
    }
    deadlines.pack(scratch);
    enqueueTimes.pack(scratch);
    locations.pack(scratch);
    shares.pack(scratch);
  }

  private void unpackFlags() {
    flags = new byte[ENTRIES];
    for (int slot = 0; slot < ENTRIES; slot++) {
      flags[slot] = (byte) packedFlags.get(slot);
    }
    packedFlags = null;
  }

  private void unpackSizes() {
    bodySizes = new int[ENTRIES];
    for (int slot = 0; slot < ENTRIES; slot++) {
      bodySizes[slot] = (int) packedSizes.get(slot);
    }
    packedSizes = null;
  }

  public boolean isEmpty() {
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
    if (bodySizes == null) {
      unpackSizes();
    }
    bodySizes[slot] = bodySize;
    setFlags(offset, flagBits);
    deadlines.set(slot, deadlineMillis, capacity);
    enqueueTimes.set(slot, enqueuedAtMillis, capacity);
    priorities.set(slot, 0, capacity);
    shares.set(slot, 0, capacity);
    if (returns != null) {
      returns[slot] = 0;
    }
    setContent(offset, content);
  }

  /** Clears all ready entries. */
  void releaseReady() {
    for (int i = ready.first(); i != OffsetSet.NONE; i = ready.ceiling(i)) {
      ready.remove(i);
      release(i);
    }
  }

  /** Clears the reference to an entry's content. */
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

  /** Returns how many contents are referenced; for tests. */
  public int heldContents() {
    int held = 0;
    for (int slot = 0; contents != null && slot < capacity; slot++) {
      held += contents[slot] == null ? 0 : 1;
    }
    return held;
  }

  int bodySize(int offset) {
    int slot = offset - firstOffset;
    return bodySizes == null ? (int) packedSizes.get(slot) : bodySizes[slot];
  }

  int flags(int offset) {
    int slot = offset - firstOffset;
    return (flags == null ? (int) packedFlags.get(slot) : flags[slot]) & 0xFF;
  }

  void setFlags(int offset, int flagBits) {
    if (flags == null) {
      unpackFlags();
    }
    flags[offset - firstOffset] = (byte) flagBits;
  }

  int priority(int offset) {
    return priorities.get(offset - firstOffset);
  }

  void setPriority(int offset, int value) {
    priorities.set(offset - firstOffset, value, capacity);
  }

  /** Returns the first ready entry of a priority from an offset on, or {@link OffsetSet#NONE}. */
  int readyCeiling(int offset, int priority) {
    return priorities.ceiling(ready, offset, priority, firstOffset);
  }

  int share(int offset) {
    return shares.get(offset - firstOffset);
  }

  /** Sets the share. When those of a page at rest are set, usually all of them are. */
  void setShare(int offset, int value) {
    shares.set(offset - firstOffset, value, capacity);
    if (flags == null && offset == ready.last()) {
      shares.pack(new long[ENTRIES]);
    }
  }

  long returns(int offset) {
    return returns == null ? 0 : returns[offset - firstOffset];
  }

  void setReturns(int offset, long value) {
    if (returns == null) {
      if (value == 0) {
        return;
      }
      returns = new long[capacity];
    }
    returns[offset - firstOffset] = value;
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

  /**
   * Sets the location. When the entries of a page at rest move to a new file, usually all of them
   * do.
   */
  void setLocation(int offset, long location) {
    locations.set(offset - firstOffset, location, capacity);
    if (flags == null && offset == ready.last()) {
      locations.pack(new long[ENTRIES]);
    }
  }

  /** Makes room for an entry before all others: recovery inserts entries in any order. */
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
    priorities.shift(slots, ENTRIES);
    shares.shift(slots, ENTRIES);
    if (returns != null) {
      returns = LongColumn.shifted(returns, new long[ENTRIES], capacity, slots, ENTRIES);
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
    priorities.grow(larger);
    shares.grow(larger);
    if (returns != null) {
      returns = Arrays.copyOf(returns, larger);
    }
    if (contents != null) {
      contents = Arrays.copyOf(contents, larger);
    }
    capacity = larger;
  }
}
