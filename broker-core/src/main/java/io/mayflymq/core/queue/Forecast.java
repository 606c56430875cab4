package io.mayflymq.core.queue;

import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.settings.ExpiryMode;
import io.mayflymq.core.settings.ExpirySettings;
import io.mayflymq.core.settings.Overflow;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.TtlMode;
import java.util.function.LongPredicate;

/**
 * What {@link QueueMachine#reconfigure} would do at this moment.
 *
 * @param expiring how many ready messages would be too old; where only the head of a queue is
 *     looked at, as if there were no priorities
 * @param overflowing how many others would be dropped from the head, being over a limit
 * @param leaseEndMillis when the queue would expire if nobody uses it, in ms since the epoch;
 *     {@link Deadlines#NEVER} without a lease or with consumers. It may have passed.
 */
public record Forecast(long expiring, long overflowing, long leaseEndMillis) {
  static Forecast of(
      MessageIndex<?> index,
      Precedence precedence,
      MessageDeadlines deadlines,
      QueueSettings current,
      QueueSettings changed,
      long leaseEndMillis,
      long nowMillis) {
    long expiring = expiring(index, deadlines, current.expiry(), changed.expiry(), nowMillis);
    return new Forecast(
        expiring, overflowing(index, precedence, changed, expiring), leaseEndMillis);
  }

  private static long expiring(
      MessageIndex<?> index,
      MessageDeadlines deadlines,
      ExpirySettings current,
      ExpirySettings changed,
      long nowMillis) {
    LongPredicate isDue = sequence -> deadlines.ofWith(changed, sequence) <= nowMillis;
    if (changed.mode() == ExpiryMode.LAZY) {
      return 0;
    }
    if (changed.mode() == ExpiryMode.HEAD) {
      long count = 0;
      for (long next = index.firstReady();
          next >= 0 && isDue.test(next);
          next = index.nextReady(next)) {
        count++;
      }
      return count;
    }
    boolean usual =
        current.mode() == ExpiryMode.EXACT
            && current.ttlMode() == TtlMode.MIN
            && changed.ttlMode() == TtlMode.MIN;
    if (!usual) {
      long[] count = new long[1];
      index.forEachReady(sequence -> count[0] += isDue.test(sequence) ? 1 : 0);
      return count[0];
    }
    // What was due by itself has left already, and what the queue's TTL ends are the first to come.
    return changed.messageTtlMillis() == QueueSettings.NONE
        ? 0
        : index.pages.countReadyWhile(isDue);
  }

  private static long overflowing(
      MessageIndex<?> index, Precedence precedence, QueueSettings changed, long expiring) {
    if (changed.length().overflow() != Overflow.DROP_HEAD) {
      return 0;
    }
    long surplus =
        changed.length().maxLength() == QueueSettings.NONE
            ? 0
            : index.readyCount() - expiring - changed.length().maxLength();
    return Math.max(Math.max(0, surplus), overflowingBytes(index, precedence, changed, expiring));
  }

  /** In the order in which messages are served; what expires are the first ones to have come. */
  private static long overflowingBytes(
      MessageIndex<?> index, Precedence precedence, QueueSettings changed, long expiring) {
    long most = changed.length().maxLengthBytes();
    long bytes = index.readyBytes();
    if (most == QueueSettings.NONE || bytes <= most) {
      return 0;
    }
    long first = index.firstReady();
    for (long i = 0; i < expiring; i++) {
      bytes -= index.bodySize(first);
      first = index.nextReady(first);
    }
    long excess = bytes - most;
    long count = 0;
    if (precedence != null && first >= 0) {
      for (long sequence : precedence.firstWith(excess, first)) {
        excess -= index.bodySize(sequence);
        count++;
      }
    }
    for (long sequence = first; sequence >= 0 && excess > 0; sequence = index.nextReady(sequence)) {
      if (precedence == null || !precedence.isAhead(sequence)) {
        excess -= index.bodySize(sequence);
        count++;
      }
    }
    return count;
  }
}
