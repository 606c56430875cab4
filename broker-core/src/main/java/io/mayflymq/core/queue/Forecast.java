package io.mayflymq.core.queue;

import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.retention.Deadlines;
import java.util.function.LongPredicate;

/**
 * What {@link QueueMachine#reconfigure} would do at this moment.
 *
 * @param expiring how many ready messages would be too old
 * @param overflowing how many others would be dropped from the head, being over a limit
 * @param leaseEndMillis when the queue would expire if nobody uses it, in ms since the epoch;
 *     {@link Deadlines#NEVER} without a lease or with consumers. It may have passed.
 */
public record Forecast(long expiring, long overflowing, long leaseEndMillis) {
  private static final int GROUPS = 256;

  static Forecast of(
      MessageIndex<?> index,
      Precedence precedence,
      QueueSettings current,
      QueueSettings changed,
      long leaseEndMillis,
      long nowMillis) {
    long ttl = changed.messageTtlMillis();
    boolean ttlCounts =
        ttl != QueueSettings.NONE
            && ttl != current.messageTtlMillis()
            && changed.messageTtlRetroactive();
    long expiring =
        ttlCounts
            ? index.pages.countReadyWhile(
                sequence -> Deadlines.after(index.enqueuedAt(sequence), ttl) <= nowMillis)
            : 0;
    return new Forecast(
        expiring, overflowing(index, precedence, changed, expiring), leaseEndMillis);
  }

  private static long overflowing(
      MessageIndex<?> index, Precedence precedence, QueueSettings changed, long expiring) {
    if (changed.overflow() != Overflow.DROP_HEAD) {
      return 0;
    }
    long surplus =
        changed.maxLength() == QueueSettings.NONE
            ? 0
            : index.readyCount() - expiring - changed.maxLength();
    return Math.max(Math.max(0, surplus), overflowingBytes(index, precedence, changed, expiring));
  }

  /**
   * Group by group, as messages are served; what expires are the first ones to have come. Passes
   * over the messages twice where there is precedence, else over no more than are to go.
   */
  private static long overflowingBytes(
      MessageIndex<?> index, Precedence precedence, QueueSettings changed, long expiring) {
    long most = changed.maxLengthBytes();
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
    if (precedence == null) {
      return countOf(excess, index, first, sequence -> true);
    }
    long[] groupCounts = new long[GROUPS];
    long[] groupBytes = new long[GROUPS];
    for (long sequence = first; sequence >= 0; sequence = index.nextReady(sequence)) {
      groupCounts[precedence.group(sequence)]++;
      groupBytes[precedence.group(sequence)] += index.bodySize(sequence);
    }
    long count = 0;
    int group = GROUPS - 1;
    while (group > 0 && groupBytes[group] < excess) {
      count += groupCounts[group];
      excess -= groupBytes[group];
      group--;
    }
    int last = group;
    return count + countOf(excess, index, first, sequence -> precedence.group(sequence) == last);
  }

  /** How many messages of a group have so many bytes. */
  private static long countOf(
      long excess, MessageIndex<?> index, long first, LongPredicate inGroup) {
    long left = excess;
    long count = 0;
    for (long sequence = first; sequence >= 0 && left > 0; sequence = index.nextReady(sequence)) {
      if (inGroup.test(sequence)) {
        left -= index.bodySize(sequence);
        count++;
      }
    }
    return count;
  }
}
