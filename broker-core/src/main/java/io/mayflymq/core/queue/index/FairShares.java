package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.ShareValue;
import io.mayflymq.core.queue.index.ShareGroup.Share;
import io.mayflymq.protocol.types.Utf8;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/**
 * The order in which the messages of a queue are delivered, if the values of a header take turns:
 * messages with the same value are a share, those without the header are one, too.
 *
 * <p>Each level of priority has a round, a ring of those shares that have ready messages on it. The
 * share whose turn it is gives its oldest message, and when that was delivered the next one has its
 * turn. A share that gets its first ready message is put at the end of the round: between it and
 * its turn is one message of each other share, however many they have. A share without ready
 * messages is in no round, and one without any message is forgotten.
 *
 * <p>The ready messages of a share are in a {@link SequenceSet}, in the order of arrival: what is
 * returned is at its old place. The index has a number for the share of each message, so that
 * nothing of a message is read when it comes back or leaves. A message that is delivered as it
 * arrives has none before it comes back.
 *
 * <h2>Messages that were there before</h2>
 *
 * <p>When the queue begins to share, after a change of policy or a start, the messages in it are
 * not known by their shares; their headers may be on disk only. They are shared out slice by slice,
 * the oldest first: those before {@link #cursor} are. Those behind it, also those that arrive
 * meanwhile, wait until the others have left or the cursor has passed them. So the messages of a
 * share stay in their order. What comes back from before the cursor is read at once, or set aside
 * to be read and is a share of its own until then.
 *
 * <p>Each method takes constant time, except where it says otherwise. Not thread-safe: belongs to
 * the thread that owns the queue.
 */
public final class FairShares {
  private static final int SMALLEST = 8;
  private static final long ALL_SHARED_OUT = Long.MAX_VALUE;

  /** About how many bytes of memory a message takes here. */
  static final int BYTES_PER_MESSAGE = 6;

  /** About how many bytes of memory a share takes. */
  static final int BYTES_PER_SHARE = 350;

  private final MessageIndex<Message> index;

  /** Null if there is one level only. */
  private final DeliveryPriority priorities;

  private final String header;
  private final byte[] encodedHeader;

  /** Numbers of shares up to it are of former settings and mean nothing. */
  private final int before;

  private final Map<String, Share> byValue = new HashMap<>();

  /** By number, less one and less those before. */
  private Share[] byNumber = new Share[SMALLEST];

  private int numbers;

  /** Numbers that can be given out again. */
  private int[] free = new int[SMALLEST];

  private int freeCount;

  /** The share of what is set aside to be read. */
  private final Share aside = new Share(null, 0);

  /** Whose turn it is, by level; null where no message is ready. */
  private final ShareGroup[] rounds;

  /** By level; null where no largest share was asked for. */
  private final LargestShares[] largest;

  /** How many messages in groups are ready, except for those that are not known, by level. */
  private final long[] known;

  /** How many shares are in rounds. */
  private long inRounds;

  /** What is to be shared out: the ready messages from this one on. */
  private long cursor = ALL_SHARED_OUT;

  /**
   * Begins; the messages that are ready are to be shared out.
   *
   * @param priorities the levels of the queue, which stay the same; null if there is only one
   * @param header the header whose values take turns
   * @param before the highest number of a share that was ever given to a message of this queue
   */
  FairShares(MessageIndex<Message> index, DeliveryPriority priorities, String header, int before) {
    this.index = index;
    this.priorities = priorities;
    this.header = header;
    this.encodedHeader = Utf8.encode(header);
    this.before = before;
    int levels = priorities == null ? 1 : priorities.highestLevel() + 1;
    this.rounds = new ShareGroup[levels];
    this.largest = new LargestShares[levels];
    this.known = new long[levels];
  }

  /** Returns the header whose values take turns. */
  String header() {
    return header;
  }

  /** Returns the highest number of a share that was given out. */
  int highestNumber() {
    return before + numbers;
  }

  private int level(long sequence) {
    return priorities == null ? 0 : priorities.level(sequence);
  }

  // Sharing out

  /** All messages that are ready are to be shared out. No message is in a group yet. */
  void begin() {
    cursor = index.readyCount() == 0 ? ALL_SHARED_OUT : 0;
  }

  /** Returns whether there are messages that are not known by their shares. */
  public boolean isSharingOut() {
    return cursor != ALL_SHARED_OUT || aside.messages > 0;
  }

  /**
   * Shares some of them out.
   *
   * @param reader reads a message; returns null for one that cannot be read, which is taken for one
   *     without the header
   * @param mostMessages how many
   * @param mostBytes after how many bytes of bodies that were read to stop
   * @return whether there are more
   */
  boolean shareOut(LongFunction<Message> reader, int mostMessages, long mostBytes) {
    int left = mostMessages;
    long bytes = 0;
    while (isSharingOut() && left-- > 0 && bytes < mostBytes) {
      long sequence = aside.messages > 0 ? firstAside() : index.nextReady(cursor - 1);
      if (sequence < 0) {
        cursor = ALL_SHARED_OUT;
        continue;
      }
      boolean isKnown = index.share(sequence) > before;
      Message message = isKnown ? null : reader.apply(sequence);
      bytes += isKnown || index.content(sequence) != null ? 0 : index.bodySize(sequence);
      if (aside.messages > 0) {
        leaving(sequence);
      } else {
        cursor = sequence + 1;
      }
      if (!isKnown) {
        join(sequence, message == null ? null : ShareValue.of(message, encodedHeader));
      }
      add(sequence);
    }
    return isSharingOut();
  }

  private long firstAside() {
    for (ShareGroup group : aside.groups) {
      if (group != null && !group.ready.isEmpty()) {
        return group.ready.first();
      }
    }
    return -1;
  }

  /** Returns the first one of a level after another that is to be shared out; -1 if none is. */
  private long nextBehindCursor(int level, long after) {
    if (cursor == ALL_SHARED_OUT) {
      return -1;
    }
    long from = Math.max(after, cursor - 1);
    return priorities == null ? index.nextReady(from) : priorities.nextReady(level, from);
  }

  // Coming and leaving

  /**
   * Called when a message was put into the index; it is not ready yet, or {@link #ready} follows.
   */
  void came(long sequence, Message message) {
    join(sequence, ShareValue.of(message, encodedHeader));
  }

  private void join(long sequence, String value) {
    Share share = byValue.get(value);
    if (share == null) {
      share = new Share(value, freeCount > 0 ? free[--freeCount] : before + ++numbers);
      byValue.put(value, share);
      int at = share.id - before - 1;
      if (at >= byNumber.length) {
        byNumber = Arrays.copyOf(byNumber, byNumber.length * 2);
      }
      byNumber[at] = share;
    }
    share.messages++;
    index.setShare(sequence, share.id);
  }

  /** Returns whether nothing has to be read when a message becomes ready. */
  boolean isKnown(long sequence) {
    return sequence >= cursor || index.share(sequence) > before;
  }

  /** Called when a message has become ready. */
  void ready(long sequence) {
    if (sequence < cursor) {
      add(sequence);
    }
  }

  /** Called before a message is delivered or removed, ready or not. */
  void leaving(long sequence) {
    if (sequence < cursor && index.isReady(sequence)) {
      ShareGroup group = groupOf(sequence);
      if (group.ready.remove(sequence)) {
        changed(group, -1);
        if (group.ready.isEmpty()) {
          leave(group);
        }
      }
    }
  }

  /** Called before a message is removed, after {@link #leaving}. */
  void left(long sequence) {
    int number = index.share(sequence);
    if (number > before) {
      Share share = byNumber[number - before - 1];
      if (--share.messages == 0) {
        forget(share);
      }
    }
  }

  private void forget(Share share) {
    byValue.remove(share.value);
    byNumber[share.id - before - 1] = null;
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, freeCount * 2);
    }
    free[freeCount++] = share.id;
  }

  /** Called before a message is delivered: its share has had its turn. */
  void served(long sequence) {
    if (sequence < cursor) {
      ShareGroup group = groupOf(sequence);
      if (rounds[group.level] == group) {
        rounds[group.level] = group.next;
      }
    }
  }

  /** Returns the group of a message; that of those set aside if its share is not known. */
  private ShareGroup groupOf(long sequence) {
    int number = index.share(sequence);
    Share share = number > before ? byNumber[number - before - 1] : aside;
    return group(share, level(sequence));
  }

  private static ShareGroup group(Share share, int level) {
    if (level >= share.groups.length) {
      share.groups = Arrays.copyOf(share.groups, level + 1);
    }
    if (share.groups[level] == null) {
      share.groups[level] = new ShareGroup(share, level);
    }
    return share.groups[level];
  }

  private void add(long sequence) {
    ShareGroup group = groupOf(sequence);
    if (group.ready.add(sequence)) {
      changed(group, 1);
      if (!group.isInRound()) {
        join(group);
      }
    }
  }

  private void changed(ShareGroup group, int more) {
    if (group.share == aside) {
      aside.messages += more;
      return;
    }
    known[group.level] += more;
    if (largest[group.level] != null) {
      largest[group.level].changed(group);
    }
  }

  // Rounds

  /** Puts a group at the end of the round of its level. */
  private void join(ShareGroup group) {
    ShareGroup turn = rounds[group.level];
    if (turn == null) {
      group.next = group;
      group.previous = group;
      rounds[group.level] = group;
    } else {
      group.next = turn;
      group.previous = turn.previous;
      turn.previous.next = group;
      turn.previous = group;
    }
    if (group.share != aside && group.share.rounds++ == 0) {
      inRounds++;
    }
  }

  private void leave(ShareGroup group) {
    if (group.next == group) {
      rounds[group.level] = null;
    } else {
      group.previous.next = group.next;
      group.next.previous = group.previous;
      if (rounds[group.level] == group) {
        rounds[group.level] = group.next;
      }
    }
    group.next = null;
    group.previous = null;
    if (group.share != aside && --group.share.rounds == 0) {
      inRounds--;
    }
  }

  /** Returns the next ready message to deliver; -1 if none is ready. */
  long first() {
    if (index.readyCount() == 0) {
      return -1;
    }
    int level = priorities == null ? 0 : priorities.highestReady();
    ShareGroup turn = rounds[level];
    return turn == null ? nextBehindCursor(level, -1) : turn.ready.first();
  }

  // The largest

  /**
   * Returns the message that leaves where there are too many: the oldest one of the largest share
   * on the lowest or the highest level that has ready messages. Of equally large shares it is the
   * one whose oldest message is older. There is a ready message.
   */
  long firstToDrop(boolean ofLowest) {
    int level =
        priorities == null ? 0 : ofLowest ? priorities.lowestReady() : priorities.highestReady();
    if (largest[level] == null) {
      largest[level] = new LargestShares();
      for (Share share : byValue.values()) {
        if (level < share.groups.length && share.groups[level] != null) {
          largest[level].changed(share.groups[level]);
        }
      }
    }
    ShareGroup first = largest[level].first();
    if (!isSharingOut()) {
      return first.ready.first();
    }
    long firstUnread = nextUnread(level, -1);
    return first == null
            || (firstUnread >= 0
                && LargestShares.precedes(
                    unread(level), firstUnread, first.ready.size(), first.ready.first()))
        ? firstUnread
        : first.ready.first();
  }

  /** Returns how many messages of a level are ready and not known by their shares. */
  private long unread(int level) {
    long ready = priorities == null ? index.readyCount() : priorities.readyOn(level);
    return ready - known[level];
  }

  private long nextUnread(int level, long after) {
    long set = group(aside, level).ready.next(after);
    long behind = nextBehindCursor(level, after);
    return set < 0 || (behind >= 0 && behind < set) ? behind : set;
  }

  /**
   * Visits the ready messages in the order in which they would be dropped, all of a level before
   * the next one. Takes as long as there are shares, at least. Changes nothing.
   *
   * @param visitor returns whether it wants the next one
   */
  public void visitDrops(boolean fromLowest, LongPredicate visitor) {
    boolean goesOn = true;
    for (int i = 0; i < rounds.length && goesOn; i++) {
      int level = fromLowest ? i : rounds.length - 1 - i;
      Queue<Remaining> remaining =
          new PriorityQueue<>(
              Comparator.comparing((Remaining one) -> -one.size).thenComparing(one -> one.next));
      for (Share share : byValue.values()) {
        if (level < share.groups.length && share.groups[level] != null) {
          ShareGroup group = share.groups[level];
          remaining.add(new Remaining(group, group.ready.size(), group.ready.first()));
        }
      }
      remaining.add(new Remaining(null, unread(level), nextUnread(level, -1)));
      remaining.removeIf(one -> one.next < 0);
      while (goesOn && !remaining.isEmpty()) {
        Remaining one = remaining.poll();
        goesOn = visitor.test(one.next);
        long next =
            one.group == null ? nextUnread(level, one.next) : one.group.ready.next(one.next);
        if (next >= 0) {
          remaining.add(new Remaining(one.group, one.size - 1, next));
        }
      }
    }
  }

  /** What is left of a group, or of the unread ones if that is null. */
  private record Remaining(ShareGroup group, long size, long next) {}

  // Looking at all

  /** Returns which shares have ready messages. Takes as long as there are shares. */
  public FairShareCounts counts() {
    PriorityQueue<FairShareCounts.Share> most =
        new PriorityQueue<>(
            Comparator.comparing(FairShareCounts.Share::ready)
                .thenComparing(
                    FairShareCounts.Share::value,
                    Comparator.nullsLast(Comparator.<String>naturalOrder()).reversed()));
    for (Share share : byValue.values()) {
      long ready = share.ready();
      if (ready > 0) {
        most.add(new FairShareCounts.Share(share.value, ready));
        if (most.size() > FairShareCounts.MOST_LARGEST) {
          most.poll();
        }
      }
    }
    FairShareCounts.Share[] inOrder = new FairShareCounts.Share[most.size()];
    for (int i = inOrder.length - 1; i >= 0; i--) {
      inOrder[i] = most.poll();
    }
    return new FairShareCounts(
        inRounds, List.of(inOrder), index.readyCount() - Arrays.stream(known).sum());
  }

  /** Returns about how many bytes of memory all this takes, beside the index. */
  long memoryBytes() {
    return (long) BYTES_PER_SHARE * byValue.size()
        + BYTES_PER_MESSAGE * (index.readyCount() + index.unackedCount());
  }

  /** Returns the ready messages in the order of delivery, if all are shared out. */
  public Round round() {
    return new Round();
  }

  /**
   * The ready messages, in the order in which they would be delivered if none came: level by level,
   * and in each level round by round; without those that are not known by their shares. It changes
   * nothing, and the queue may change meanwhile: what leaves may be returned all the same, and what
   * comes need not be.
   */
  public final class Round {
    private int level = rounds.length;
    private final Queue<Place> places = new ArrayDeque<>();

    private static final class Place {
      private final ShareGroup group;
      private long after = -1;

      Place(ShareGroup group) {
        this.group = group;
      }
    }

    private Round() {}

    /** Returns the next one; -1 if there is none. */
    public long next() {
      while (level > 0 || !places.isEmpty()) {
        if (places.isEmpty()) {
          begin(--level);
          continue;
        }
        Place place = places.poll();
        long next = place.group.ready.next(place.after);
        if (next >= 0) {
          place.after = next;
          places.add(place);
          return next;
        }
      }
      return -1;
    }

    private void begin(int ofLevel) {
      ShareGroup turn = rounds[ofLevel];
      ShareGroup group = turn;
      while (group != null) {
        places.add(new Place(group));
        group = group.next == turn ? null : group.next;
      }
    }
  }
}
