package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Contents of messages, packed. Locations are negative, and so distinct from those in files; when a
 * content was released, its location may be reused. Belongs to one shard's thread.
 *
 * <p>The contents of waiting messages that are in no file: as bytes in blocks of memory outside of
 * the heap, the slabs.
 *
 * <h2>Why not as objects</h2>
 *
 * <p>A backlog of a million messages would be a million or more objects that live for a while: the
 * garbage collector would copy each of them twice before it leaves them alone, in pauses that grow
 * with the backlog, and would need half as much memory again to do so. It does not see slabs, and
 * the system has their memory back as soon as the backlog is gone, whether or not there was a
 * collection.
 *
 * <h2>How it is used</h2>
 *
 * <p>Contents are appended to the current slab. A slab whose contents have all been released is
 * reused; as queues are mostly emptied in the order in which they were filled, this happens with
 * nearly all slabs. If a few contents stay for long in many slabs, and more than half of the memory
 * is unused, the emptiest slabs are emptied: their remaining contents are appended again, and the
 * queues get the new locations.
 *
 * <h2>One content, many queues</h2>
 *
 * <p>A message that goes to many queues is put here once for each, in direct succession, and is
 * stored once: the record keeps a list of its holders, and each of them releases it. The message is
 * recognised because it is the same object; further holders can be added as long as nothing has
 * been appended after it.
 *
 * <h2>Common prefixes</h2>
 *
 * <p>Common prefixes are stored once, beside the slabs: see {@link PrefixDictionary}.
 */
final class ContentArena {
  /** Contents of more than this share of a slab are not stored, as they would waste its end. */
  private static final int LARGEST_SHARE = 16;

  /** How much unused memory is tolerated, in slabs. */
  private static final int TOLERATED = 4;

  private static final int MOST_SPARE = 4;
  private static final int NONE = -1;

  private final BlockMemory memory;
  private final int slabBits;
  private final ContentOwner owner;
  private final NameInterner names = new NameInterner();
  private final PrefixDictionary prefixDictionary = new PrefixDictionary();
  private final List<Slab> slabs = new ArrayList<>();
  private final BitSet unused = new BitSet();
  private final ArrayDeque<Slab> spare = new ArrayDeque<>();

  private int used;
  private long liveBytes;

  /** Where contents are appended; {@link #NONE} before the first. */
  private int current = NONE;

  /** The message of the last record, if further queues may get it, and its location. */
  private Message last;

  private int lastOffset;

  /** The slab that is being emptied, or {@link #NONE}, and up to where that is done. */
  private int emptying = NONE;

  private int cursor;
  private boolean closed;

  /**
   * Creates an empty arena, which takes no memory before the first content.
   *
   * @param memory where slabs are taken from, each of one block
   */
  public ContentArena(BlockMemory memory, ContentOwner owner) {
    if (Integer.bitCount(memory.blockBytes()) != 1) {
      throw new IllegalArgumentException("slabs of " + memory.blockBytes() + " bytes");
    }
    this.memory = memory;
    this.slabBits = Integer.numberOfTrailingZeros(memory.blockBytes());
    this.owner = owner;
  }

  /** Whether a location is one in an arena, and not in a file. */
  public static boolean has(long location) {
    return location < 0;
  }

  /** Whether a message can be stored here: a large one is better kept as an object. */
  public boolean accepts(Message message) {
    return Slab.length(message) <= slabBytes() / LARGEST_SHARE && message.blindKeys().isEmpty();
  }

  /** Whether a message can be stored here without more memory. */
  public boolean hasRoomFor(Message message) {
    return hasRoomFor(Slab.length(message));
  }

  private boolean hasRoomFor(long length) {
    return !spare.isEmpty() || (current != NONE && slabs.get(current).hasRoom(length));
  }

  /**
   * Takes more memory, so that there is room for a message that can be stored here.
   *
   * @return false if there is none left, or the arena is closed
   */
  public boolean grow() {
    BlockMemory.Block block = closed ? null : memory.take();
    if (block == null) {
      return false;
    }
    spare.add(new Slab(block));
    return true;
  }

  /** Returns how much more memory is taken if {@link #hasRoomFor} returns false, in bytes. */
  public int slabBytes() {
    return 1 << slabBits;
  }

  /** Returns the size of all slabs and prefixes, in bytes. */
  public long allocatedBytes() {
    return ((long) (used + spare.size()) << slabBits) + prefixDictionary.bytes();
  }

  /** How many bytes of that are needed. */
  public long liveBytes() {
    return liveBytes;
  }

  /**
   * Stores a message of a queue.
   *
   * @param message one that this {@link #accepts}
   * @return its location, until it is released or moved
   * @throws IllegalStateException if more memory is needed, and there is none
   */
  public long put(long queueId, long sequence, Message message) {
    if (message == last && slabs.get(current).hasRoomForHolder()) {
      hold(queueId, sequence);
    } else {
      Slab slab = slabFor(Slab.length(message));
      int before = slab.live();
      int prefix = prefixDictionary.find(message);
      retain(prefix);
      lastOffset = slab.append(message, prefix, prefixDictionary.shared(), queueId, sequence);
      last = message;
      liveBytes += slab.live() - before;
    }
    return location(current, lastOffset);
  }

  private void retain(int prefix) {
    if (prefix != PrefixDictionary.NONE) {
      prefixDictionary.retain(prefix);
    }
  }

  private void hold(long queueId, long sequence) {
    Slab slab = slabs.get(current);
    int before = slab.live();
    slab.hold(lastOffset, queueId, sequence);
    liveBytes += slab.live() - before;
  }

  /** Returns the current slab, after replacing it if it has no room. */
  private Slab slabFor(long length) {
    if (current == NONE || !slabs.get(current).hasRoom(length)) {
      int full = current;
      current = next();
      last = null;
      if (full != NONE) {
        freeIfEmpty(full);
      }
    }
    return slabs.get(current);
  }

  private int next() {
    if (spare.isEmpty() && !grow()) {
      throw new IllegalStateException("no memory left for contents");
    }
    Slab slab = spare.removeLast();
    int number = unused.nextSetBit(0);
    if (number < 0) {
      number = slabs.size();
      slabs.add(slab);
    } else {
      unused.clear(number);
      slabs.set(number, slab);
    }
    used++;
    return number;
  }

  private void freeIfEmpty(int number) {
    Slab slab = slabs.get(number);
    if (slab.live() > 0) {
      return;
    }
    slab.clear();
    if (number == current) {
      last = null;
      return;
    }
    slabs.set(number, null);
    unused.set(number);
    used--;
    if (number == emptying) {
      emptying = NONE;
    }
    if (spare.size() < MOST_SPARE) {
      spare.add(slab);
    } else {
      slab.free();
    }
  }

  private long location(int slab, int offset) {
    return Long.MIN_VALUE | (long) slab << slabBits | offset;
  }

  private int slab(long location) {
    return (int) ((location & Long.MAX_VALUE) >>> slabBits);
  }

  private int offset(long location) {
    return (int) location & (slabBytes() - 1);
  }

  /**
   * Creates the message at a location; a new object at each call.
   *
   * @throws IllegalStateException if the arena is closed
   */
  public Message read(long location) {
    if (closed) {
      throw new IllegalStateException("the contents are closed");
    }
    return slabs.get(slab(location)).read(offset(location), names, prefixDictionary);
  }

  /** Releases the content at a location for one queue. Does nothing once the arena is closed. */
  public void release(long location) {
    if (closed) {
      return;
    }
    int number = slab(location);
    int freed = release(slabs.get(number), offset(location));
    if (freed > 0) {
      liveBytes -= freed;
      if (number == current && offset(location) == lastOffset) {
        last = null;
      }
      freeIfEmpty(number);
    }
  }

  private int release(Slab slab, int offset) {
    int freed = slab.release(offset);
    if (freed > 0 && slab.prefix(offset) != PrefixDictionary.NONE) {
      prefixDictionary.release(slab.prefix(offset));
    }
    return freed;
  }

  // Unused memory

  /**
   * Frees memory, a slice at a time. To be called regularly.
   *
   * @param budget about how many bytes to examine, at most
   * @return whether there is more to do at once
   */
  public boolean compact(int budget) {
    if (emptying == NONE && !chooseWhatToEmpty()) {
      return false;
    }
    Slab slab = slabs.get(emptying);
    int end = (int) Math.min(slab.end(), cursor + (long) budget);
    while (emptying != NONE && cursor < end) {
      int offset = cursor;
      if (slab.liveHolders(offset) > 0 && !hasRoomFor(slab.extent(offset)) && !grow()) {
        return false; // There may be some later.
      }
      cursor += slab.extent(offset);
      if (slab.liveHolders(offset) > 0) {
        move(slab, offset);
      }
    }
    return emptying != NONE || isWasteful();
  }

  private boolean isWasteful() {
    long waste = ((long) used << slabBits) - liveBytes;
    return waste > Math.max((long) TOLERATED << slabBits, liveBytes);
  }

  private boolean chooseWhatToEmpty() {
    if (!isWasteful()) {
      return false;
    }
    for (int i = 0; i < slabs.size(); i++) {
      if (i != current
          && slabs.get(i) != null
          && (emptying == NONE || slabs.get(i).live() < slabs.get(emptying).live())) {
        emptying = i;
      }
    }
    cursor = 0;
    return emptying != NONE;
  }

  private void move(Slab slab, int offset) {
    long from = location(emptying, offset);
    int holders = slab.holders(offset);
    Slab target = slabFor(slab.extent(offset));
    int before = target.live();
    int copy = target.append(slab, offset);
    retain(slab.prefix(offset));
    last = null;
    long to = location(current, copy);
    for (int i = 0; i < holders; i++) {
      long queueId = slab.queueOf(offset, i);
      long sequence = slab.sequenceOf(offset, i);
      if (owner.isLive(queueId, sequence, from)) {
        target.hold(copy, queueId, sequence);
        owner.moved(queueId, sequence, from, to);
      }
    }
    liveBytes += target.live() - before;
    while (slab.liveHolders(offset) > 0) {
      liveBytes -= release(slab, offset);
    }
    freeIfEmpty(emptying);
  }

  /** Frees one spare slab, as none has been needed for a while. */
  public void trim() {
    last = null;
    if (!spare.isEmpty()) {
      spare.removeFirst().free();
    }
  }

  /** Frees all memory: contents can no longer be read. Does nothing if it is closed. */
  public void close() {
    closed = true;
    for (Slab slab : slabs) {
      if (slab != null) {
        slab.free();
      }
    }
    slabs.clear();
    spare.forEach(Slab::free);
    spare.clear();
    unused.clear();
    used = 0;
    liveBytes = 0;
    current = NONE;
    emptying = NONE;
    last = null;
  }
}
