package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.Restored;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.RemovalStamp;
import io.mayflymq.core.store.UnsettledEntry;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Brings messages back that have left a queue: to their places, in slices, with other work of the
 * shard in between. What leaves after the start is not brought back. Belongs to the queue's shard.
 */
public final class Restoration {
  private static final int MOST_MESSAGES = 1_024;
  private static final long MOST_BYTES = 1 << 20;

  private final QueueState state;
  private final Redeliveries returns;
  private final Choice choice;
  private final Map<RemovalReason, Long> counts = new EnumMap<>(RemovalReason.class);
  private long last = -1;
  private long dead;
  private long unreadable;

  /** The highest stamp of what had left at the start; negative before the first slice. */
  private long until = -1;

  /** The number behind that of the newest message at the start. */
  private long end;

  /**
   * Which messages.
   *
   * @param sinceMillis those that have left at this time or later, in ms since the epoch
   * @param reasons those that have left for one of these reasons
   * @param renews whether those whose time is over begin it anew, at the end of the queue;
   *     otherwise they stay away
   * @param onlyCounts whether they are only counted
   */
  public record Choice(
      long sinceMillis, Set<RemovalReason> reasons, boolean renews, boolean onlyCounts) {
    /** Returns the choice of what has left with a deleted queue. */
    public static Choice ofDeleted(boolean onlyCounts) {
      return new Choice(
          0, EnumSet.of(RemovalReason.DELETED, RemovalReason.DRAINED), true, onlyCounts);
    }
  }

  /**
   * What became of them.
   *
   * @param restored how many are back, or would be, by the reason for which they had left
   * @param expired how many have stayed away because their time is over
   * @param unreadable how many have stayed away because they cannot be read
   */
  public record Report(Map<RemovalReason, Long> restored, long expired, long unreadable) {
    /** Returns this one with more that had left with their queue, and are back with it. */
    public Report withDeleted(long more) {
      if (more == 0) {
        return this;
      }
      Map<RemovalReason, Long> sum = new EnumMap<>(RemovalReason.class);
      sum.putAll(restored);
      sum.merge(RemovalReason.DELETED, more, Long::sum);
      return new Report(sum, expired, unreadable);
    }

    /** Returns whether there was nothing to bring back. */
    public boolean isEmpty() {
      return total() + expired + unreadable == 0;
    }

    /** Returns how many are back. */
    public long total() {
      return restored.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** Begins a move of the log. */
  @FunctionalInterface
  public interface Moves {
    /** As {@link io.mayflymq.core.store.PartitionStore#move}. */
    Move begin(UnsettledEntry entry, Message message);
  }

  Restoration(QueueState state, Redeliveries returns, Choice choice) {
    this.state = state;
    this.returns = returns;
    this.choice = choice;
  }

  /**
   * Does one slice.
   *
   * @return whether there is more to do
   */
  boolean step(long nowMillis, Moves moves) {
    if (until < 0) {
      until = RemovalStamp.first(nowMillis + 1) - 1;
      end = state.index.nextSequence();
      state.messages.forgetLeft();
      returns.forgetLeft();
    }
    RemovedMessages removed = state.removed();
    long since = RemovalStamp.first(choice.sinceMillis());
    long bytes = 0;
    for (int i = 0; i < MOST_MESSAGES && bytes < MOST_BYTES; i++) {
      last = removed.next(last);
      if (last < 0 || last >= end) {
        return false;
      }
      long stamp = removed.stamp(last);
      RemovalReason reason = removed.reason(last);
      if (stamp >= since
          && choice.reasons().contains(reason)
          && mayReturn(removed, reason, stamp, nowMillis)) {
        bytes += choice.onlyCounts() ? 0 : removed.bodySize(last);
        look(removed, reason, nowMillis, moves);
      }
    }
    return true;
  }

  /** What has left with its queue is back with it, whatever the time and the settings are now. */
  private boolean mayReturn(
      RemovedMessages removed, RemovalReason reason, long stamp, long nowMillis) {
    boolean isOfQueue =
        reason == RemovalReason.DELETED
            || (reason == RemovalReason.DRAINED && state.letsNothingGo());
    return isOfQueue
        || (stamp <= until && removed.mayReturn(last, state.settings().recoverable(), nowMillis));
  }

  private void look(RemovedMessages removed, RemovalReason reason, long nowMillis, Moves moves) {
    Message message = removed.read(last);
    if (message == null) {
      unreadable++;
      return;
    }
    long arrived = removed.arrivedAt(last);
    long own = state.deadlines.ownAgain(last, message, arrived);
    // Also while time stands still: what was over before would be over again as soon as it goes on.
    boolean isDead = state.deadlines.shownOf(own, arrived, nowMillis) <= nowMillis;
    boolean isOver = state.deadlines.isOver(message, nowMillis);
    if (isOver || (isDead && !choice.renews())) {
      dead++;
      return;
    }
    if (!choice.onlyCounts()) {
      Message marked = Restored.mark(message, reason.word(), removed.removedAt(last));
      boolean delivered = removed.isRedelivered(last) || wasDelivered(reason);
      restore(removed.detach(last), marked, isDead, own, arrived, delivered, nowMillis, moves);
    }
    counts.merge(reason, 1L, Long::sum);
  }

  private void restore(
      UnsettledEntry entry,
      Message message,
      boolean isDead,
      long own,
      long arrived,
      boolean delivered,
      long nowMillis,
      Moves moves) {
    Move move = entry == null ? null : moves.begin(entry, message);
    boolean entered = false;
    try {
      if (isDead) {
        long ownAnew = state.deadlines.ownOf(message, nowMillis);
        long sequence = state.messages.append(message, move, false, ownAnew, nowMillis);
        state.deadlines.appended(sequence, ownAnew);
      } else {
        state.messages.insertAgain(last, message, move, own, arrived, delivered);
      }
      entered = true;
    } finally {
      if (move != null) {
        move.write(isDead ? nowMillis : arrived, !entered);
      }
    }
    state.counters.add(Counter.ARRIVED, 1);
  }

  private static boolean wasDelivered(RemovalReason reason) {
    return switch (reason) {
      case ACKED, REJECTED, DELIVERY_LIMIT -> true;
      case PURGED, EXPIRED, MAXLEN, DELETED, DRAINED -> false;
    };
  }

  /** Returns what became of the messages so far. */
  public Report report() {
    return new Report(new EnumMap<>(counts), dead, unreadable);
  }
}
