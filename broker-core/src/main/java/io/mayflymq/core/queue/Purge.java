package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;

/**
 * Removes the ready messages of a queue, in slices, with other work of the shard in between.
 * Messages that arrive after the start are kept. Belongs to the queue's shard.
 */
public final class Purge {
  static final int SLICE = 4096;

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;
  private final Counters counters;
  private final int slice;
  private final long end;
  private boolean dueAreGone;
  private long removed;

  Purge(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      MessageRemover messageRemover,
      Counters counters,
      int slice) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.messageRemover = messageRemover;
    this.counters = counters;
    this.slice = slice;
    this.end = index.nextSequence();
  }

  /** Removes one slice of messages. @return whether there is more to do */
  public boolean step(long nowMillis) {
    if (!dueAreGone) {
      if (messageRemover.expireDue(nowMillis, slice) <= nowMillis) {
        return true;
      }
      dueAreGone = true;
    }
    if (index.nextSequence() == end && index.readyCount() <= slice) {
      deadlines.cleared();
      removed(messages.clearReady());
      return false;
    }
    boolean more = removeSome();
    messageRemover.headMoved();
    return more;
  }

  private boolean removeSome() {
    int left = slice;
    long sequence = index.firstReady();
    while (left > 0 && sequence >= 0 && sequence < end) {
      deadlines.leaving(sequence);
      messages.remove(sequence);
      left--;
      sequence = index.firstReady();
    }
    removed(slice - left);
    return left == 0;
  }

  private void removed(long count) {
    removed += count;
    counters.add(Counter.PURGED, count);
  }

  /** Returns how many messages have been removed so far. */
  public long removed() {
    return removed;
  }
}
