package io.mayflymq.core.queue.consumer;

import io.mayflymq.core.expiry.LongPairHeap;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.QueueType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/*
 * The messages of a queue that are delivered before older ones.
 *
 * A queue's index keeps messages in the order in which they arrived, and this class does not change that: numbers, expiry, the log and settlements use
 * that order only. The messages that are delivered earlier are also in a heap of (rank, sequence), the lowest rank first and within a rank the oldest
 * message. When the heap is empty, messages are delivered in the order of arrival. Which messages are in the heap depends on the queue:
 *
 *   with priorities   each message of a priority above 0, ranked by its priority; so a requeued message is back at its place
 *   quorum            messages that consumers have returned, in the order in which they returned them
 *
 * So messages of priority 0, and those of a quorum queue that were never returned, cost nothing; others cost 16 bytes here, 4 in the index, and
 * logarithmic time. A queue that needs neither has no object of this class.
 *
 * A message that is delivered is always at the top of the heap, and is removed there. One that expires in the middle stays in the heap as a dead entry
 * until a sweep removes it (see LongPairHeap, which orders deadlines in the same way).
 */
public final class DeliveryPriority {
  private final MessageIndex<Message> index;
  private final int maxPriority;
  private final LongPairHeap ranks = new LongPairHeap(this::isAhead);
  private long returns;

  private DeliveryPriority(MessageIndex<Message> index, int maxPriority) {
    this.index = index;
    this.maxPriority = maxPriority;
  }

  /**
   * Returns the delivery priority of a queue with these settings; null if its order is that of
   * arrival alone.
   */
  public static DeliveryPriority in(MessageIndex<Message> index, QueueSettings settings) {
    return settings.hasPriorities() || settings.type() == QueueType.QUORUM
        ? new DeliveryPriority(index, settings.maxPriority())
        : null;
  }

  /** Returns the next ready message to deliver; -1 if none is ready. */
  public long first() {
    while (!ranks.isEmpty()) {
      long sequence = ranks.peekSequence();
      if (isAhead(sequence)) {
        return sequence;
      }
      ranks.poll();
    }
    return index.firstReady();
  }

  /**
   * Called when a message of this priority was put into the index; it is not ready yet, or {@link
   * #ready} follows.
   */
  public void came(long sequence, int priority) {
    if (priority > 0 && maxPriority > 0) {
      index.setPriority(sequence, Math.min(priority, maxPriority));
    }
  }

  /** Called when a message has arrived, or was recovered after a restart, and is ready. */
  public void ready(long sequence) {
    int priority = index.priority(sequence);
    if (priority > 0) {
      goAhead(-priority, sequence);
    }
  }

  /** Called when a returned message is ready again. */
  public void returned(long sequence) {
    if (maxPriority == QueueSettings.NO_PRIORITIES) {
      goAhead(++returns, sequence);
    } else {
      ready(sequence);
    }
  }

  private void goAhead(long rank, long sequence) {
    index.setFlags(sequence, index.flags(sequence) | EntryFlags.AHEAD);
    ranks.add(rank, sequence);
  }

  /** Whether a message is ready and is delivered before older ones. */
  public boolean isAhead(long sequence) {
    return index.isReady(sequence) && (index.flags(sequence) & EntryFlags.AHEAD) != 0;
  }

  /** Called before a message is delivered or removed, ready or not. */
  public void leaving(long sequence) {
    int flags = index.flags(sequence);
    if ((flags & EntryFlags.AHEAD) == 0) {
      return;
    }
    boolean top = ranks.peekSequence() == sequence;
    if (top) {
      ranks.poll();
    }
    index.setFlags(sequence, flags & ~EntryFlags.AHEAD);
    if (!top) {
      ranks.discarded();
    }
  }

  /** Called before all ready messages are removed at once. */
  public void cleared() {
    ranks.clear();
  }

  /**
   * Returns the messages that are delivered first, in their order, at most {@code most}. Changes
   * nothing.
   */
  public List<Long> first(int most) {
    List<Long> found = new ArrayList<>();
    visit(
        sequence -> {
          found.add(sequence);
          return found.size() < most;
        });
    return found;
  }

  /**
   * Does the same as {@link #visit} for those that are first because consumers have returned them,
   * and not by their priority.
   */
  public void visitReturned(LongPredicate visitor) {
    if (maxPriority == QueueSettings.NO_PRIORITIES) {
      visit(visitor);
    }
  }

  /**
   * Visits the messages that are delivered first, in their order. Changes nothing.
   *
   * @param visitor returns whether it wants the next one
   * @return whether it has seen all of them and wants more
   */
  public boolean visit(LongPredicate visitor) {
    List<long[]> seen = new ArrayList<>();
    boolean goesOn = true;
    while (goesOn && !ranks.isEmpty()) {
      long rank = ranks.peekDeadline();
      long sequence = ranks.poll();
      if (isAhead(sequence)) {
        seen.add(new long[] {rank, sequence});
        goesOn = visitor.test(sequence);
      }
    }
    seen.forEach(entry -> ranks.add(entry[0], entry[1]));
    return goesOn;
  }
}
