package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;

/**
 * Removes some of the ready messages, wherever they stand, in slices, with other work of the shard
 * in between. What arrives meanwhile is not looked at. Belongs to the queue's shard.
 */
public final class ChosenPurge {
  private static final int MOST_MESSAGES = 1_024;
  private static final long MOST_BYTES = 1 << 20;

  private final QueueState state;
  private final MessageRemover messageRemover;
  private final MessageChoice choice;
  private final boolean onlyCounts;
  private final Removed removed;
  private final long end;
  private long last;
  private long chosen;

  /** What arrived later is not old enough; negative before the first slice. */
  private long arrivedUntil = -1;

  /** Is told of each message that is removed. */
  @FunctionalInterface
  public interface Removed {
    /**
     * A message is removed.
     *
     * @param message null if it is not in memory and did not have to be read
     */
    void at(Message message, long nowMillis);
  }

  ChosenPurge(
      QueueState state,
      MessageRemover messageRemover,
      MessageChoice choice,
      boolean onlyCounts,
      Removed removed) {
    this.removed = removed;
    this.state = state;
    this.messageRemover = messageRemover;
    this.choice = choice;
    this.onlyCounts = onlyCounts;
    this.end =
        choice.sequence() < 0
            ? state.index.nextSequence()
            : Math.min(state.index.nextSequence(), choice.sequence() + 1);
    this.last = choice.sequence() < 0 ? -1 : choice.sequence() - 1;
  }

  /**
   * Does one slice.
   *
   * @return whether there is more to do
   */
  public boolean step(long nowMillis) {
    if (arrivedUntil < 0) {
      arrivedUntil = Math.max(0, nowMillis - choice.olderThanMillis());
    }
    long before = chosen;
    boolean more = look(nowMillis);
    if (!onlyCounts && chosen > before) {
      state.counters.add(Counter.PURGED, chosen - before);
      messageRemover.headMoved();
    }
    return more;
  }

  private boolean look(long nowMillis) {
    long bytes = 0;
    for (int i = 0; i < MOST_MESSAGES && bytes < MOST_BYTES; i++) {
      long sequence = chosen < choice.most() ? state.index.nextReady(last) : -1;
      if (sequence < 0 || sequence >= end) {
        return false;
      }
      last = sequence;
      if (state.index.enqueuedAt(sequence) > arrivedUntil
          || state.deadlines.of(sequence) <= nowMillis) {
        continue; // What is due expires, with what follows from that.
      }
      Message message = null;
      if (choice.looksInside()) {
        bytes += state.index.bodySize(sequence);
        message = state.messages.peek(sequence);
        if (message == null || !choice.matches(message)) {
          continue;
        }
      }
      chosen++;
      if (!onlyCounts) {
        removed.at(message == null ? known(sequence) : message, nowMillis);
        messageRemover.purge(sequence, nowMillis);
      }
    }
    return true;
  }

  /** Reads no more than one message of which nothing has to be known. */
  private Message known(long sequence) {
    return choice.sequence() < 0
        ? state.messages.peekIfCheap(sequence)
        : state.messages.peek(sequence);
  }

  /** Returns how many messages were removed so far, or would be. */
  public long chosen() {
    return chosen;
  }
}
