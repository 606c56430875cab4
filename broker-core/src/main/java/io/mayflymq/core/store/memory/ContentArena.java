package io.mayflymq.core.store.memory;

import io.mayflymq.core.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/*
 * The contents of messages that wait in queues, and that are in no file: as bytes in large arrays, the slabs.
 *
 * WHY NOT AS OBJECTS
 * A backlog of a million messages would be a million objects or more that live for a while: the collector copies each of them twice before
 * it leaves them alone, in pauses that grow with the backlog, and needs half as much memory again to do so. A slab is one object. It is larger
 * than half a region of G1, which therefore never copies it, and frees it as soon as nobody refers to it.
 *
 * HOW IT IS USED
 * Contents are appended to the current slab. A slab whose contents have all gone is used again; as queues are emptied in the order in which they
 * were filled, that is what becomes of nearly all. Where a few contents stay for long in many slabs, more than half of all being waste,
 * the emptiest slabs are emptied: what is left in them is appended again, and the queues are told.
 *
 * ONE CONTENT, MANY QUEUES
 * A message that goes to many queues comes here once for each, one right after the other, and is appended once: the record keeps a list of those
 * who hold it, and is released by each. It can be recognised by being the same object, and be given holders, as long as nothing has been appended
 * behind it.
 *
 * WHAT MANY BEGIN WITH
 * is kept once, beside the slabs: see Prefixes.
 */
/**
 * Contents of messages, packed. Locations are negative, and so distinct from those of files; after
 * a content has gone, its location may be another's. Belongs to one shard's thread.
 */
public final class ContentArena {
  /** Arrays have so much of their own, which is to fit into the regions of the heap too. */
  private static final int ARRAY_HEADER = 16;

  /** Contents of more than this share of a slab would waste its end. */
  private static final int LARGEST_SHARE = 16;

  /** How much waste is not worth the work, in slabs. */
  private static final int TOLERATED = 4;

  private static final int MOST_SPARE = 4;
  private static final int NONE = -1;

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

  /** The message of the last record, if it may come again; where it is. */
  private Message last;

  private int lastOffset;

  /** The slab that is being emptied, or {@link #NONE}, and how far that has come. */
  private int emptying = NONE;

  private int cursor;

  /**
   * Makes an empty memory, which takes nothing before the first content.
   *
   * @param slabBytes how large slabs are, a power of two: the size of the heap's regions, if it has
   *     any, and 1 MiB or more
   */
  public ContentArena(int slabBytes, ContentOwner owner) {
    if (Integer.bitCount(slabBytes) != 1 || slabBytes < 2 * ARRAY_HEADER) {
      throw new IllegalArgumentException("slabs of " + slabBytes + " bytes");
    }
    this.slabBits = Integer.numberOfTrailingZeros(slabBytes);
    this.owner = owner;
  }

  /** Whether a location is one of a memory like this, and not of a file. */
  public static boolean has(long location) {
    return location < 0;
  }

  /** Whether a message can be here: a large one is better off as an object. */
  public boolean takes(Message message) {
    return Slab.length(message) <= slabBytes() / LARGEST_SHARE && message.blindKeys().isEmpty();
  }

  /** Whether a message can be put here without more memory. */
  public boolean hasRoomFor(Message message) {
    return !spare.isEmpty()
        || (current != NONE && slabs.get(current).hasRoom(Slab.length(message)));
  }

  /** How much more memory is taken where {@link #hasRoomFor} says no, in bytes. */
  public int slabBytes() {
    return 1 << slabBits;
  }

  /** How much memory all slabs take, and what contents begin with, in bytes. */
  public long allocatedBytes() {
    return ((long) (used + spare.size()) << slabBits) + prefixDictionary.bytes();
  }

  /** How many bytes of that are needed. */
  public long liveBytes() {
    return liveBytes;
  }

  /**
   * A queue has a message.
   *
   * @param message one that this {@link #takes}
   * @return its location, until it is released or moved
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

  /** The current slab, after it was changed for another if it has no room. */
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
    Slab slab = spare.isEmpty() ? new Slab(slabBytes() - ARRAY_HEADER) : spare.removeLast();
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

  /** Makes the message that is at a location; a new object at each call. */
  public Message read(long location) {
    return slabs.get(slab(location)).read(offset(location), names, prefixDictionary);
  }

  /** A queue does not need the content at a location any more. */
  public void release(long location) {
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

  // What is wasted

  /**
   * Frees memory, a slice at a time. To be called now and then.
   *
   * @param budget about how many bytes to look at, at most
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

  /** Nothing has needed the spare memory for a while: one slab of it is given back. */
  public void trim() {
    last = null;
    spare.pollFirst();
  }
}
