package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/**
 * The order in which the messages of a queue are delivered, if that is not the order of their
 * arrival.
 *
 * <p>A queue's index keeps messages in the order in which they arrived, and this class does not
 * change that: numbers, expiry, the log and settlements use that order only. Each message has a
 * level, from its priority; the highest level with a ready message is served. A queue without
 * priorities has one level.
 *
 * <ul>
 *   <li>In a classic queue levels are 0 to {@code x-max-priority}; a message without a priority is
 *       on level 0. What is returned has its old place on its level.
 *   <li>In a quorum queue they are 0 to 31, and 4 without a priority. What consumers return comes
 *       before the others of its level, in the order in which they returned it.
 * </ul>
 *
 * <p>The level of messages without a priority is the base. The index has the level of each message,
 * as the difference (by exclusive or) from the base, so that most queues need no memory for it.
 * Messages are in no other list. How many are ready on a level is counted, except for the base,
 * whose number is that of all others. For each level a cursor says that all its ready messages
 * before it are marked (RETURNED): the next one that is not is the first of that level in the index
 * from the cursor on. The cursor only moves forward, so a message of another level is passed once
 * for each level, 64 of them at a time. Those that are marked, which become ready again behind the
 * cursor or are to be ahead of others, are in a heap of (rank, sequence) for each level: ranks are
 * the order of returns, or IN_PLACE, the last one, for those that are ahead of nothing but younger
 * ones.
 *
 * <p>While all ready messages are on the base level, and none is marked, each method returns after
 * two comparisons.
 *
 * <p>A message that leaves from the middle of a heap stays there as a dead entry until a sweep
 * removes it (see LongPairHeap, which orders deadlines in the same way).
 */
public final class DeliveryPriority {
  private static final int BASE_OF_QUORUM = 4;
  private static final int MARKS = EntryFlags.RETURNED | EntryFlags.AHEAD;
  private static final long IN_PLACE = Long.MAX_VALUE;

  private final MessageIndex<Message> index;
  private final boolean returnedFirst;
  private final int base;

  /** The highest level that a message can be on, whether levels count or not. */
  private final int highest;

  private boolean hasLevels;

  // By level; null until a ready message is not on the base level, or is marked.
  private long[] counts;
  private long[] cursors;
  private LongPairHeap[] heaps;

  /** Which levels other than the base have ready messages: a bit for each. */
  private long[] occupied;

  /** How many ready messages are not on the base level. */
  private long others;

  /** How many ready messages are marked. */
  private long marked;

  /** How many of them are ahead of others. */
  private long ahead;

  private long returns;

  private DeliveryPriority(MessageIndex<Message> index, QueueSettings settings) {
    this.index = index;
    this.returnedFirst = settings.type() == QueueType.QUORUM;
    this.base = returnedFirst ? BASE_OF_QUORUM : 0;
    this.highest = returnedFirst ? QueueSettings.HIGHEST_OF_QUORUM_QUEUES : settings.maxPriority();
    this.hasLevels = settings.hasPriorities();
  }

  /**
   * Returns the delivery priority of a queue with these settings; null if its order is that of
   * arrival alone.
   */
  public static DeliveryPriority in(MessageIndex<Message> index, QueueSettings settings) {
    return settings.hasPriorities() || settings.type() == QueueType.QUORUM
        ? new DeliveryPriority(index, settings)
        : null;
  }

  /**
   * Applies changed settings. If priorities count now, or do not any more, each message is looked
   * at once.
   */
  public void change(QueueSettings changed) {
    if (changed.hasPriorities() != hasLevels) {
      List<Long> returned = returnedOfAllLevels();
      hasLevels = changed.hasPriorities();
      cleared();
      index.forEachReady(
          sequence -> {
            index.setFlags(sequence, index.flags(sequence) & ~MARKS);
            ready(sequence);
          });
      returned.forEach(this::returnedBefore);
    }
  }

  private List<Long> returnedOfAllLevels() {
    List<long[]> entries = new ArrayList<>();
    for (int level = 0; heaps != null && level < heaps.length; level++) {
      if (heaps[level] != null) {
        heaps[level].forEach(
            (rank, sequence) -> rank == IN_PLACE || entries.add(new long[] {rank, sequence}));
      }
    }
    return entries.stream()
        .filter(entry -> isAhead(entry[1]))
        .sorted(Comparator.comparingLong(entry -> entry[0]))
        .map(entry -> entry[1])
        .toList();
  }

  // Which is next

  /** Returns the next ready message to deliver; -1 if none is ready. */
  public long first() {
    return others == 0 && marked == 0 ? index.firstReady() : first(highestOccupied());
  }

  /** Returns the first ready message of the lowest level; -1 if none is ready. */
  public long firstOfLowest() {
    return others == 0 && marked == 0 ? index.firstReady() : first(lowestOccupied());
  }

  /** Returns the highest level with a ready message, if any message is ready. */
  int highestReady() {
    return others == 0 && marked == 0 ? base : highestOccupied();
  }

  /** Returns the lowest level with a ready message, if any message is ready. */
  int lowestReady() {
    return others == 0 && marked == 0 ? base : lowestOccupied();
  }

  /** Returns how many messages are ready on a level. */
  long readyOn(int level) {
    return level == base ? index.readyCount() - others : counts == null ? 0 : counts[level];
  }

  private int highestOccupied() {
    int found = -1;
    for (int i = occupied.length - 1; i >= 0 && found < 0; i--) {
      if (occupied[i] != 0) {
        found = (i << 6) + Long.SIZE - 1 - Long.numberOfLeadingZeros(occupied[i]);
      }
    }
    return found < base && index.readyCount() > others ? base : found;
  }

  private int lowestOccupied() {
    int found = -1;
    for (int i = 0; i < occupied.length && found < 0; i++) {
      if (occupied[i] != 0) {
        found = (i << 6) + Long.numberOfTrailingZeros(occupied[i]);
      }
    }
    return (found < 0 || found > base) && index.readyCount() > others ? base : found;
  }

  private long first(int level) {
    if (level < 0) {
      return -1;
    }
    LongPairHeap heap = heaps[level];
    long returned = -1;
    if (heap != null) {
      while (!heap.isEmpty() && !isLive(heap.peekDeadline(), heap.peekSequence())) {
        heap.poll();
      }
      returned = heap.peekSequence();
      if (returned >= 0 && heap.peekDeadline() != IN_PLACE) {
        return returned;
      }
    }
    long next = firstUnmarked(level);
    return returned < 0 || (next >= 0 && next < returned) ? next : returned;
  }

  private long firstUnmarked(int level) {
    long next = nextOn(level, cursors[level] - 1);
    while (next >= 0 && marked > 0 && isMarked(next)) {
      next = nextOn(level, next);
    }
    cursors[level] = next < 0 ? index.nextSequence() : next;
    return next;
  }

  /** Returns the first ready message of a level after this one; -1 if there is none. */
  private long nextOn(int level, long after) {
    return hasLevels ? index.nextReady(after, level ^ base) : index.nextReady(after);
  }

  private boolean isLive(long rank, long sequence) {
    return rank == IN_PLACE ? isMarked(sequence) : isAhead(sequence);
  }

  private boolean isMarked(long sequence) {
    return index.isReady(sequence) && (index.flags(sequence) & MARKS) != 0;
  }

  /** Whether a message is ready, and before those of its level that have not been returned. */
  private boolean isAhead(long sequence) {
    return index.isReady(sequence) && (index.flags(sequence) & EntryFlags.AHEAD) != 0;
  }

  /** Returns the level of a message that is here. */
  public int level(long sequence) {
    return hasLevels ? index.priority(sequence) ^ base : base;
  }

  // Coming and leaving

  /**
   * Called when a message was put into the index; it is not ready yet, or {@link #ready} follows.
   *
   * @param priority its priority, 0 to 255, or {@link Message#NO_PRIORITY}
   * @return whether it has another level than most, so that {@link #ready} must follow when it is
   *     ready
   */
  public boolean came(long sequence, int priority) {
    int level = priority == Message.NO_PRIORITY ? base : Math.min(priority, highest);
    if (level != base) {
      index.setPriority(sequence, level ^ base);
    }
    return level != base;
  }

  /**
   * Called when a message has arrived, was recovered after a restart, or is ready again without
   * having been returned: at its place by its number.
   */
  public void ready(long sequence) {
    int level = level(sequence);
    if (level == base) {
      if (counts != null && sequence < cursors[base]) {
        mark(sequence, level, IN_PLACE, EntryFlags.RETURNED);
      }
      return;
    }
    allocate();
    if (counts[level] == 0) {
      cursors[level] = Math.max(cursors[level], sequence);
    }
    if (sequence < cursors[level]) {
      mark(sequence, level, IN_PLACE, EntryFlags.RETURNED);
    }
    count(level, 1);
  }

  /** Called when a returned message is ready again. */
  public void returned(long sequence) {
    if (!returnedFirst) {
      ready(sequence);
      return;
    }
    int level = level(sequence);
    allocate();
    mark(sequence, level, ++returns, MARKS);
    ahead++;
    if (level != base) {
      count(level, 1);
    }
  }

  /** Does the same for a message that is ready already: it was returned at another place. */
  public void returnedBefore(long sequence) {
    leaving(sequence);
    returned(sequence);
  }

  private void allocate() {
    if (counts == null) {
      int levels = highest + 1;
      counts = new long[levels];
      cursors = new long[levels];
      heaps = new LongPairHeap[levels];
      occupied = new long[(levels + Long.SIZE - 1) / Long.SIZE];
    }
  }

  private void mark(long sequence, int level, long rank, int marks) {
    index.setFlags(sequence, index.flags(sequence) | marks);
    if (heaps[level] == null) {
      heaps[level] = new LongPairHeap(this::isMarked);
    }
    heaps[level].add(rank, sequence);
    marked++;
  }

  private void count(int level, int more) {
    counts[level] += more;
    others += more;
    long bit = 1L << level;
    if (counts[level] == 0) {
      occupied[level >>> 6] &= ~bit;
    } else {
      occupied[level >>> 6] |= bit;
    }
  }

  /** Messages that have left are about to come again, under their numbers. */
  void forgetLeft() {
    for (int level = 0; heaps != null && level < heaps.length; level++) {
      if (heaps[level] != null) {
        heaps[level].dropDead();
      }
    }
  }

  /** Called before a message is delivered or removed, ready or not. */
  public void leaving(long sequence) {
    if ((others == 0 && marked == 0) || !index.isReady(sequence)) {
      return;
    }
    int level = level(sequence);
    if (level != base) {
      count(level, -1);
    }
    int flags = marked == 0 ? 0 : index.flags(sequence);
    if ((flags & MARKS) != 0) {
      LongPairHeap heap = heaps[level];
      boolean top = heap.peekSequence() == sequence;
      if (top) {
        heap.poll();
      }
      index.setFlags(sequence, flags & ~MARKS);
      marked--;
      ahead -= (flags & EntryFlags.AHEAD) == 0 ? 0 : 1;
      if (!top) {
        heap.discarded();
      }
    }
  }

  /**
   * Called before all ready messages are removed at once; forgets all marks, but not the levels.
   */
  public void cleared() {
    counts = null;
    cursors = null;
    heaps = null;
    occupied = null;
    others = 0;
    marked = 0;
    ahead = 0;
  }

  // Looking at all

  /** Returns how many ready messages each level has; null if there is only one level. */
  public PriorityCounts counts() {
    if (!hasLevels) {
      return null;
    }
    SortedMap<Integer, Long> ready = new TreeMap<>();
    for (int level = highest; level >= 0; level--) {
      long count = level == base ? index.readyCount() - others : counts == null ? 0 : counts[level];
      if (count > 0) {
        ready.put(level, count);
      }
    }
    return new PriorityCounts(ready, ahead);
  }

  /** Returns the highest level that a message can be on at present. */
  public int highestLevel() {
    return hasLevels ? highest : base;
  }

  /** Returns the next lower level that has ready messages; -1 if there is none. */
  public int levelBelow(int level) {
    int next = Math.min(level, highestLevel() + 1) - 1;
    while (next >= 0 && !hasReady(next)) {
      next--;
    }
    return next;
  }

  private boolean hasReady(int level) {
    return level == base ? index.readyCount() > others : counts != null && counts[level] > 0;
  }

  /** Returns the first ready message of a level after this one, in order of arrival; or -1. */
  public long nextReady(int level, long after) {
    return nextOn(level, after);
  }

  /**
   * Returns the messages of a level that are first because consumers have returned them, in their
   * order, at most {@code most}. Changes nothing.
   */
  public Set<Long> returned(int level, int most) {
    Set<Long> found = new LinkedHashSet<>();
    visitReturned(
        level,
        sequence -> {
          found.add(sequence);
          return found.size() < most;
        });
    return found;
  }

  /** Visits the messages that are before others of their level, in the order of delivery. */
  public void visitReturned(LongConsumer visitor) {
    for (int level = levelBelow(Integer.MAX_VALUE); level >= 0; level = levelBelow(level)) {
      returned(level, Integer.MAX_VALUE).forEach(visitor::accept);
    }
  }

  private boolean visitReturned(int level, LongPredicate visitor) {
    LongPairHeap heap = heaps == null ? null : heaps[level];
    if (heap == null) {
      return true;
    }
    List<long[]> seen = new ArrayList<>();
    boolean goesOn = true;
    while (goesOn && heap.peekDeadline() != IN_PLACE) {
      long rank = heap.peekDeadline();
      long sequence = heap.poll();
      if (isAhead(sequence)) {
        seen.add(new long[] {rank, sequence});
        goesOn = visitor.test(sequence);
      }
    }
    seen.forEach(entry -> heap.add(entry[0], entry[1]));
    return goesOn;
  }

  /**
   * Visits the ready messages in the order of delivery, or level by level from the lowest one up.
   * Changes nothing.
   *
   * @param visitor returns whether it wants the next one
   */
  public void visit(boolean fromLowest, LongPredicate visitor) {
    boolean goesOn = true;
    for (int i = 0; i <= highestLevel() && goesOn; i++) {
      int level = fromLowest ? i : highestLevel() - i;
      goesOn = !hasReady(level) || visitLevel(level, visitor);
    }
  }

  private boolean visitLevel(int level, LongPredicate visitor) {
    boolean goesOn = visitReturned(level, visitor);
    long next = nextOn(level, -1);
    while (goesOn && next >= 0) {
      goesOn = isAhead(next) || visitor.test(next);
      next = nextOn(level, next);
    }
    return goesOn;
  }
}
