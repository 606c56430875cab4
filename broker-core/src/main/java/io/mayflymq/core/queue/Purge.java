package io.mayflymq.core.queue;

import io.mayflymq.core.metrics.Counter;

/**
 * Removes the ready messages of a queue, and those that wait for a retry where these count like
 * ready ones; in slices, with other work of the shard in between. Messages that arrive after the
 * start are kept. Belongs to the queue's shard.
 */
public final class Purge {
  static final int SLICE = 4096;

  private final QueueState state;
  private final MessageRemover messageRemover;
  private final Redeliveries returns;
  private final int slice;
  private final long end;

  /** Those that wait for a retry; some of them may have come back since. */
  private final long[] waiting;

  private int waitingLookedAt;
  private boolean dueAreGone;
  private long removed;

  Purge(QueueState state, MessageRemover messageRemover, Redeliveries returns, int slice) {
    this.state = state;
    this.messageRemover = messageRemover;
    this.returns = returns;
    this.slice = slice;
    this.end = state.index.nextSequence();
    this.waiting =
        state.settings().deliveries().retriesCount() ? returns.waitingMessages() : new long[0];
  }

  /** Removes one slice of messages. @return whether there is more to do */
  public boolean step(long nowMillis) {
    if (!dueAreGone) {
      if (messageRemover.expireDue(nowMillis, slice) <= nowMillis) {
        return true;
      }
      dueAreGone = true;
    }
    if (waitingLookedAt < waiting.length) {
      removeWaiting(nowMillis);
      return true;
    }
    if (state.index.nextSequence() == end
        && state.index.readyCount() <= slice
        && !state.keepsRemoved()) {
      state.deadlines.cleared();
      removed(state.messages.clearReady());
      return false;
    }
    boolean more = removeSome(nowMillis);
    messageRemover.headMoved();
    return more;
  }

  private void removeWaiting(long nowMillis) {
    int count = 0;
    int stop = Math.min(waiting.length, waitingLookedAt + slice);
    while (waitingLookedAt < stop) {
      count += returns.purgeWaiting(waiting[waitingLookedAt], nowMillis) ? 1 : 0;
      waitingLookedAt++;
    }
    removed(count);
  }

  private boolean removeSome(long nowMillis) {
    int left = slice;
    long sequence = state.index.firstReady();
    while (left > 0 && sequence >= 0 && sequence < end) {
      messageRemover.purge(sequence, nowMillis);
      left--;
      sequence = state.index.firstReady();
    }
    removed(slice - left);
    return left == 0;
  }

  private void removed(long count) {
    removed += count;
    state.counters.add(Counter.PURGED, count);
  }

  /** Returns how many messages have been removed so far. */
  public long removed() {
    return removed;
  }
}
