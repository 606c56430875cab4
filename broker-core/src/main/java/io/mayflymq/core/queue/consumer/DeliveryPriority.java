package io.mayflymq.core.queue.consumer;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.EntryMetadata;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.retention.LongPairHeap;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.QueueType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/*
 * The messages of a queue that are served before others that are older.
 *
 * A queue's index keeps messages in the order in which they came, and that stays so here: numbers, expiry, the log and settlements know of no other.
 * What goes ahead stands in a heap of (rank, sequence) beside it, the lowest rank first and within a rank the oldest message.
 * When the heap is empty, the order of arrival is the order of service. Who goes ahead depends on the queue:
 *
 *   with priorities   each message of a priority above 0, ranked by it, when it comes and when it comes back: so that is back at its place
 *   quorum            what consumers have returned, in the order in which they did so
 *
 * So messages of priority 0, and those of a quorum queue that were never returned, cost nothing; others 16 bytes here and 4 in the index,
 * and a logarithm. A queue that has neither has no object of this class.
 *
 * A message that is handed out is always the first; it leaves the top. One that expires in the middle stays in the heap as a dead entry, to be
 * swept out (see LongPairHeap, which orders deadlines in the same way).
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

  /** The precedence in a queue with these settings; null if its order is that of arrival alone. */
  public static DeliveryPriority in(MessageIndex<Message> index, QueueSettings settings) {
    return settings.hasPriorities() || settings.type() == QueueType.QUORUM
        ? new DeliveryPriority(index, settings.maxPriority())
        : null;
  }

  /** The ready message whose turn it is; -1 if none is ready. */
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

  /** A message of this priority is in the index, not yet ready or to be told by {@link #ready}. */
  public void came(long sequence, int priority) {
    if (priority > 0 && maxPriority > 0) {
      EntryMetadata.setPriority(index, sequence, Math.min(priority, maxPriority));
    }
  }

  /** A message has come, or come back after a restart, and is ready. */
  public void ready(long sequence) {
    int priority = EntryMetadata.priority(index, sequence);
    if (priority > 0) {
      goAhead(-priority, sequence);
    }
  }

  /** A message is ready again. */
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

  /** Whether a message is ready and goes before older ones. */
  public boolean isAhead(long sequence) {
    return index.isReady(sequence) && (index.flags(sequence) & EntryFlags.AHEAD) != 0;
  }

  /** A message is about to be handed out or to leave, ready or not. */
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

  /** All ready messages are leaving at once. */
  public void cleared() {
    ranks.clear();
  }

  /** The messages that go ahead, in their order, but no more than so many. Changes nothing. */
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
   * Shows the messages that go ahead, in their order. Changes nothing.
   *
   * @param visitor tells whether it wants the next one
   * @return whether it has seen all and wants more
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
