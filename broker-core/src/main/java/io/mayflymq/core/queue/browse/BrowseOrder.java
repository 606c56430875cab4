package io.mayflymq.core.queue.browse;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.consumer.DeliveryPriority;
import io.mayflymq.core.queue.index.MessageIndex;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/*
 * Iterates over the ready messages in the order of delivery. It changes nothing; the queue may change between any two calls:
 *
 *   by arrival    the next message after the last one, whatever has left meanwhile
 *   by priority   one pass in order of arrival for each priority, the highest first
 *   returned      in a quorum queue: the returned messages (up to a limit) first, then all others by arrival
 */
abstract class BrowseOrder {
  /** There is no message left. */
  static final long END = -1;

  /** There may be another message; ask again. */
  static final long NOT_YET = -2;

  /**
   * At most so many returned messages are visited before others; taking them from the heap and
   * putting them back takes time.
   */
  private static final int MOST_RETURNED = 10_000;

  /** Returns the order of a queue with delivery priorities, from its head on. */
  static BrowseOrder of(
      MessageIndex<Message> index, DeliveryPriority deliveryPriority, int maxPriority) {
    return maxPriority > 0
        ? new ByPriority(index, maxPriority)
        : new Returned(index, deliveryPriority.first(MOST_RETURNED));
  }

  /** Returns the order of a queue without delivery priorities, from a position on. */
  static BrowseOrder byArrivalFrom(MessageIndex<Message> index, long position) {
    long first = index.pages.readyAt(position);
    return new ByArrival(index, first < 0 ? index.nextSequence() : first - 1);
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

  private static final class ByPriority extends BrowseOrder {
    private final MessageIndex<Message> index;
    private int priority;
    private long after = -1;

    ByPriority(MessageIndex<Message> index, int maxPriority) {
      this.index = index;
      this.priority = maxPriority;
    }

    @Override
    long next() {
      long sequence = priority < 0 ? END : index.nextReady(after);
      if (sequence >= 0) {
        after = sequence;
        return index.priority(sequence) == priority ? sequence : NOT_YET;
      }
      if (priority <= 0) {
        return END;
      }
      priority--;
      after = -1;
      return NOT_YET;
    }
  }

  private static final class Returned extends BrowseOrder {
    private final MessageIndex<Message> index;
    private final Set<Long> ahead;
    private final Iterator<Long> left;
    private final BrowseOrder others;

    Returned(MessageIndex<Message> index, List<Long> ahead) {
      this.index = index;
      this.ahead = new HashSet<>(ahead);
      this.left = ahead.iterator();
      this.others = new ByArrival(index, -1);
    }

    @Override
    long next() {
      if (left.hasNext()) {
        long sequence = left.next();
        return index.isReady(sequence) ? sequence : NOT_YET;
      }
      long sequence = others.next();
      return sequence >= 0 && ahead.contains(sequence) ? NOT_YET : sequence;
    }
  }
}
