package io.mayflymq.core.queue;

import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TtlMode;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.DeliveryPriority;
import io.mayflymq.core.queue.index.FairShares;
import io.mayflymq.core.queue.index.MessageIndex;
import java.util.function.LongPredicate;

/**
 * What {@link ClassicQueueMachine#reconfigure} would do at this moment; the answer to a policy
 * preview.
 *
 * @param expiring how many ready messages would expire; if messages expire only at the head, those
 *     that reach it one after the other in the order of delivery
 * @param overflowing how many other messages would be dropped from the head because of a length
 *     limit
 * @param leaseEndMillis when the queue would expire if it stays unused, in ms since the epoch;
 *     {@link Deadlines#NEVER} without a lease or with consumers. It may be in the past.
 */
public record PolicyImpact(long expiring, long overflowing, long leaseEndMillis) {
  static PolicyImpact of(
      QueueState state,
      LengthLimiter limiter,
      QueueSettings changed,
      long leaseEndMillis,
      long nowMillis) {
    long count = state.index.readyCount() + limiter.countBesideReady(changed);
    long bytes = state.index.readyBytes() + limiter.bytesBesideReady(changed);
    if (changed.expiry().mode() == ExpiryMode.HEAD) {
      FromHead fromHead = new FromHead(state, changed, count, bytes, nowMillis);
      if (changed.length().dropsLowest()) {
        visit(state, false, fromHead::expires);
        visit(state, true, fromHead::isLeftToDrop);
      } else {
        visit(state, false, fromHead);
      }
      return new PolicyImpact(fromHead.expiring, fromHead.overflowing, leaseEndMillis);
    }
    Anywhere anywhere = Anywhere.of(state, changed, nowMillis);
    long expiring = anywhere.expiring();
    return new PolicyImpact(expiring, anywhere.overflowing(expiring, count, bytes), leaseEndMillis);
  }

  private static void visit(QueueState state, boolean fromLowest, LongPredicate visitor) {
    FairShares fairShares = state.messages.fairShares();
    if (fairShares != null) {
      fairShares.visitDrops(fromLowest, visitor);
      return;
    }
    DeliveryPriority deliveryPriority = state.messages.deliveryPriority();
    if (deliveryPriority != null) {
      deliveryPriority.visit(fromLowest, visitor);
      return;
    }
    long next = state.index.firstReady();
    while (next >= 0 && visitor.test(next)) {
      next = state.index.nextReady(next);
    }
  }

  /**
   * Counts the messages that leave at the head, one after the other, because they expired or
   * because of a limit.
   */
  private static final class FromHead implements LongPredicate {
    private final MessageIndex<?> index;
    private final DeliveryPriority deliveryPriority;
    private final LongPredicate isDue;
    private final LengthSettings limit;
    private long count;
    private long bytes;
    private long expiring;
    private long overflowing;

    /** The first message from the head on that is not due; -1 if all are. */
    private long firstNotDue = -1;

    private boolean isPastFirstNotDue;

    FromHead(QueueState state, QueueSettings changed, long count, long bytes, long nowMillis) {
      this.index = state.index;
      this.deliveryPriority = state.messages.deliveryPriority();
      this.isDue = sequence -> state.deadlines.isDueWith(changed, sequence, nowMillis);
      this.limit = changed.length();
      this.count = count;
      this.bytes = bytes;
    }

    /** Counts those at the head that expire. */
    boolean expires(long sequence) {
      if (isDue.test(sequence)) {
        return test(sequence);
      }
      firstNotDue = sequence;
      return false;
    }

    /** Counts those of the lowest priority that leave then, except for those counted above. */
    boolean isLeftToDrop(long sequence) {
      isPastFirstNotDue |= sequence == firstNotDue;
      int above = deliveryPriority == null ? 0 : compareLevels(sequence, firstNotDue);
      if (firstNotDue < 0 || above > 0) {
        return false;
      }
      boolean isOver = limit.overflow() == Overflow.DROP_HEAD && limit.isExceededBy(count, bytes);
      return (above == 0 && !isPastFirstNotDue) || (isOver && test(sequence));
    }

    private int compareLevels(long sequence, long other) {
      return other < 0
          ? 0
          : Integer.compare(deliveryPriority.level(sequence), deliveryPriority.level(other));
    }

    @Override
    public boolean test(long sequence) {
      if (isDue.test(sequence)) {
        expiring++;
      } else if (limit.overflow() == Overflow.DROP_HEAD && limit.isExceededBy(count, bytes)) {
        overflowing++;
      } else {
        return false;
      }
      count--;
      bytes -= index.bodySize(sequence);
      return true;
    }
  }

  /** Counts the messages that leave where each expires wherever it is, or never by itself. */
  private record Anywhere(QueueState state, QueueSettings changed, LongPredicate expires) {
    static Anywhere of(QueueState state, QueueSettings changed, long nowMillis) {
      return new Anywhere(
          state,
          changed,
          changed.expiry().mode() == ExpiryMode.LAZY
              ? sequence -> false
              : sequence -> state.deadlines.isDueWith(changed, sequence, nowMillis));
    }

    long expiring() {
      ExpirySettings current = state.settings().expiry();
      boolean usual =
          current.mode() == ExpiryMode.EXACT
              && current.ttlMode() == TtlMode.MIN
              && changed.expiry().ttlMode() == TtlMode.MIN
              && !state.deadlines.stops().isStopped()
              && !changed.pace().stopsTtl();
      if (!usual) {
        long[] count = new long[1];
        state.index.forEachReady(sequence -> count[0] += expires.test(sequence) ? 1 : 0);
        return count[0];
      }
      // Messages whose present deadline has passed have left already. The queue's TTL always ends
      // the oldest messages first.
      return changed.expiry().messageTtlMillis() == QueueSettings.NONE
          ? 0
          : state.index.pages.countReadyWhile(expires);
    }

    long overflowing(long expiring, long counted, long countedBytes) {
      LengthSettings limit = changed.length();
      if (limit.overflow() != Overflow.DROP_HEAD) {
        return 0;
      }
      long surplus =
          limit.maxLength() == QueueSettings.NONE
              ? 0
              : Math.min(state.index.readyCount(), counted - limit.maxLength()) - expiring;
      return Math.max(Math.max(0, surplus), overflowingBytes(expiring, countedBytes));
    }

    /** Adds up sizes in the order in which messages are dropped, less those that expire. */
    private long overflowingBytes(long expiring, long countedBytes) {
      MessageIndex<?> index = state.index;
      long most = changed.length().maxLengthBytes();
      if (most == QueueSettings.NONE || countedBytes <= most) {
        return 0;
      }
      long[] excess = {countedBytes - most};
      long next = index.firstReady();
      for (long left = expiring; left > 0 && next >= 0; next = index.nextReady(next)) {
        if (expires.test(next)) {
          excess[0] -= index.bodySize(next);
          left--;
        }
      }
      long[] count = new long[1];
      if (excess[0] > 0) {
        visit(
            state,
            changed.length().dropsLowest(),
            sequence -> {
              if (!expires.test(sequence)) {
                excess[0] -= index.bodySize(sequence);
                count[0]++;
              }
              return excess[0] > 0;
            });
      }
      return count[0];
    }
  }
}
