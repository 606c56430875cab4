package io.mayflymq.core.queue;

import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.retention.Deadlines;

/**
 * What {@link QueueMachine#reconfigure} would do at this moment.
 *
 * @param expiring how many ready messages would be too old
 * @param overflowing how many others would be dropped from the head, being over a limit
 * @param leaseEndMillis when the queue would expire if nobody uses it, in ms since the epoch;
 *     {@link Deadlines#NEVER} without a lease or with consumers. It may have passed.
 */
public record Forecast(long expiring, long overflowing, long leaseEndMillis) {
  static Forecast of(
      MessageIndex<?> index,
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
    return new Forecast(expiring, overflowing(index, changed, expiring), leaseEndMillis);
  }

  private static long overflowing(MessageIndex<?> index, QueueSettings changed, long expiring) {
    if (changed.overflow() != Overflow.DROP_HEAD) {
      return 0;
    }
    long surplus =
        changed.maxLength() == QueueSettings.NONE
            ? 0
            : index.readyCount() - expiring - changed.maxLength();
    return Math.max(Math.max(0, surplus), overflowingBytes(index, changed, expiring));
  }

  private static long overflowingBytes(
      MessageIndex<?> index, QueueSettings changed, long expiring) {
    long most = changed.maxLengthBytes();
    long bytes = index.readyBytes();
    if (most == QueueSettings.NONE || bytes <= most) {
      return 0;
    }
    long left = 0;
    long sequence = index.firstReady();
    while (sequence >= 0 && (left < expiring || bytes > most)) {
      bytes -= index.bodySize(sequence);
      left++;
      sequence = index.nextReady(sequence);
    }
    return left - expiring;
  }
}
