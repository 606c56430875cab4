package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.DeliveryPriority;
import io.mayflymq.core.queue.index.FairShares;
import io.mayflymq.core.queue.index.MessageIndex;
import java.util.Collections;
import java.util.Iterator;
import java.util.Set;

/**
 * Iterates over the ready messages in the order of delivery. It changes nothing; the queue may
 * change between any two calls:
 *
 * <ul>
 *   <li>By arrival: the next message after the last one, whatever has left meanwhile.
 *   <li>By level: one level of priority after the other, the highest first. In a quorum queue its
 *       returned messages (up to a limit) come first, then all others by arrival.
 *   <li>In turns: round by round in each level, one message of each share.
 * </ul>
 */
abstract class BrowseOrder {
  /** There is no message left. */
  static final long END = -1;

  /** There may be another message; ask again. */
  static final long NOT_YET = -2;

  /**
   * At most so many returned messages of a level are visited before others; taking them from the
   * heap and putting them back takes time.
   */
  private static final int MOST_RETURNED = 10_000;

  /** Returns the order of a queue with delivery priorities, from its head on. */
  static BrowseOrder of(MessageIndex<Message> index, DeliveryPriority deliveryPriority) {
    return new ByLevel(index, deliveryPriority);
  }

  /** Returns the order of a queue without delivery priorities, from a position on. */
  static BrowseOrder byArrivalFrom(MessageIndex<Message> index, long position) {
    long first = index.pages.readyAt(position);
    return new ByArrival(index, first < 0 ? index.nextSequence() : first - 1);
  }

  /** Returns the order of a queue where the values of a header take turns, from its head on. */
  static BrowseOrder inTurns(MessageIndex<Message> index, FairShares shares) {
    return new InTurns(index, shares.round());
  }

  /** Returns the sequence number of the next message, {@link #END} or {@link #NOT_YET}. */
  abstract long next();

  private static final class ByArrival extends BrowseOrder {
    private final MessageIndex<Message> index;
    private long after;

    ByArrival(MessageIndex<Message> index, long after) {
      this.index = index;
      this.after = after;
    }

    @Override
    long next() {
      long sequence = index.nextReady(after);
      if (sequence >= 0) {
        after = sequence;
      }
      return sequence;
    }
  }

  private static final class InTurns extends BrowseOrder {
    private final MessageIndex<Message> index;
    private final FairShares.Round round;

    InTurns(MessageIndex<Message> index, FairShares.Round round) {
      this.index = index;
      this.round = round;
    }

    @Override
    long next() {
      long sequence = round.next();
      return sequence < 0 || index.isReady(sequence) ? sequence : NOT_YET;
    }
  }

  private static final class ByLevel extends BrowseOrder {
    private final MessageIndex<Message> index;
    private final DeliveryPriority deliveryPriority;
    private int level = Integer.MAX_VALUE;
    private Set<Long> returned;
    private Iterator<Long> left = Collections.emptyIterator();
    private long after;

    ByLevel(MessageIndex<Message> index, DeliveryPriority deliveryPriority) {
      this.index = index;
      this.deliveryPriority = deliveryPriority;
      nextLevel();
    }

    private void nextLevel() {
      level = deliveryPriority.levelBelow(level);
      after = -1;
      if (level >= 0) {
        returned = deliveryPriority.returned(level, MOST_RETURNED);
        left = returned.iterator();
      }
    }

    @Override
    long next() {
      if (level < 0) {
        return END;
      }
      if (left.hasNext()) {
        long sequence = left.next();
        return index.isReady(sequence) ? sequence : NOT_YET;
      }
      long sequence = deliveryPriority.nextReady(level, after);
      if (sequence < 0) {
        nextLevel();
        return NOT_YET;
      }
      after = sequence;
      return returned.contains(sequence) ? NOT_YET : sequence;
    }
  }
}
