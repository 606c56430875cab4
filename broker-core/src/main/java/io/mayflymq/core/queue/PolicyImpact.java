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
    long expiring = expiring(state, changed, nowMillis);
    return new PolicyImpact(
        expiring, overflowing(state, changed, expiring, count, bytes), leaseEndMillis);
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

  private static long expiring(QueueState state, QueueSettings settings, long nowMillis) {
    ExpirySettings changed = settings.expiry();
    if (changed.mode() == ExpiryMode.LAZY) {
      return 0;
    }
    LongPredicate isDue = sequence -> state.deadlines.isDueWith(settings, sequence, nowMillis);
    ExpirySettings current = state.settings().expiry();
    boolean usual =
        current.mode() == ExpiryMode.EXACT
            && current.ttlMode() == TtlMode.MIN
            && changed.ttlMode() == TtlMode.MIN
            && !state.deadlines.stops().isStopped()
            && !settings.pace().stopsTtl();
    if (!usual) {
      long[] count = new long[1];
      state.index.forEachReady(sequence -> count[0] += isDue.test(sequence) ? 1 : 0);
      return count[0];
    }
    // Messages whose present deadline has passed have left already. The queue's TTL always ends
    // the oldest messages first.
    return changed.messageTtlMillis() == QueueSettings.NONE
        ? 0
        : state.index.pages.countReadyWhile(isDue);
  }

  private static long overflowing(
      QueueState state, QueueSettings changed, long expiring, long counted, long countedBytes) {
    if (changed.length().overflow() != Overflow.DROP_HEAD) {
      return 0;
    }
    long surplus =
        changed.length().maxLength() == QueueSettings.NONE
            ? 0
            : Math.min(state.index.readyCount(), counted - changed.length().maxLength()) - expiring;
    return Math.max(Math.max(0, surplus), overflowingBytes(state, changed, expiring, countedBytes));
  }

  /**
   * Adds up sizes in the order in which messages are dropped; the messages that expire are the
   * oldest ones.
   */
  private static long overflowingBytes(
      QueueState state, QueueSettings changed, long expiring, long countedBytes) {
    MessageIndex<?> index = state.index;
    long most = changed.length().maxLengthBytes();
    long bytes = countedBytes;
    if (most == QueueSettings.NONE || bytes <= most) {
      return 0;
    }
    long first = index.firstReady();
    for (long i = 0; i < expiring; i++) {
      bytes -= index.bodySize(first);
      first = index.nextReady(first);
    }
    long from = first;
    long[] excess = {bytes - most};
    long[] count = new long[1];
    if (from >= 0 && excess[0] > 0) {
      visit(
          state,
          changed.length().dropsLowest(),
          sequence -> {
            if (sequence >= from) {
              excess[0] -= index.bodySize(sequence);
              count[0]++;
            }
            return excess[0] > 0;
          });
    }
    return count[0];
  }
}
