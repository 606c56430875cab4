package io.mayflymq.core.queue;

import io.mayflymq.core.queue.index.QueueTotals;
import java.util.OptionalLong;

/**
 * What a queue has at one moment, as far as it is numbers: it takes much less time than all that it
 * has, for lists of very many queues.
 *
 * @param totals its messages
 * @param scheduled the messages that wait for their time, as if they were ready
 * @param waiting the dead letters that wait for another queue to take them
 * @param recoverable the messages that have left it and can be brought back, as if they were ready
 * @param consumers how many consumers it has
 * @param lag how many messages the slowest consumer of a stream has not read yet; empty for other
 *     queues and without consumers
 * @param oldestAgeMillis for how long the oldest message has been in the queue, in ms; empty for a
 *     stream and for an empty queue
 * @param memoryBytes about how many bytes of memory its messages take; empty for a stream
 */
public record QueueSizes(
    QueueTotals totals,
    QueueTotals scheduled,
    QueueTotals waiting,
    QueueTotals recoverable,
    int consumers,
    OptionalLong lag,
    OptionalLong oldestAgeMillis,
    OptionalLong memoryBytes) {
  /** Returns how many messages the queue is to deliver or to settle. */
  public long messages() {
    return totals.messages() + waiting.messages();
  }

  /** Returns how many messages wait for a retry, or for their time. */
  public long delayed() {
    return totals.delayed() + scheduled.ready();
  }

  /** Returns the sum of queues: the largest of lags and of ages. */
  public static QueueSizes sum(Iterable<QueueSizes> queues) {
    Sum sum = new Sum();
    queues.forEach(sum::add);
    return sum.sizes();
  }

  /**
   * A sum of queues that grows. It makes nothing for each queue: there may be a hundred thousand.
   * For one thread at a time.
   */
  public static final class Sum {
    private final TotalsSum totals = new TotalsSum();
    private final TotalsSum scheduled = new TotalsSum();
    private final TotalsSum waiting = new TotalsSum();
    private final TotalsSum recoverable = new TotalsSum();
    private int consumers;
    private OptionalLong lag = OptionalLong.empty();
    private OptionalLong oldestAgeMillis = OptionalLong.empty();
    private long memoryBytes;

    /** Adds a queue, or a sum of others. */
    public void add(QueueSizes queue) {
      totals.add(queue.totals);
      scheduled.add(queue.scheduled);
      waiting.add(queue.waiting);
      recoverable.add(queue.recoverable);
      consumers += queue.consumers;
      lag = largest(lag, queue.lag);
      oldestAgeMillis = largest(oldestAgeMillis, queue.oldestAgeMillis);
      memoryBytes += queue.memoryBytes.orElse(0);
    }

    private static OptionalLong largest(OptionalLong a, OptionalLong b) {
      if (a.isPresent() && b.isPresent()) {
        return a.getAsLong() >= b.getAsLong() ? a : b;
      }
      return a.isPresent() ? a : b;
    }

    /** Returns the sum so far. */
    public QueueSizes sizes() {
      return new QueueSizes(
          totals.totals(),
          scheduled.totals(),
          waiting.totals(),
          recoverable.totals(),
          consumers,
          lag,
          oldestAgeMillis,
          OptionalLong.of(memoryBytes));
    }
  }

  private static final class TotalsSum {
    private long ready;
    private long unacked;
    private long readyBytes;
    private long unackedBytes;
    private long delayed;
    private long delayedBytes;
    private long unreadable;
    private long unreadableBytes;
    private long persistent;
    private long persistentBytes;

    void add(QueueTotals more) {
      ready += more.ready();
      unacked += more.unacked();
      readyBytes += more.readyBytes();
      unackedBytes += more.unackedBytes();
      delayed += more.delayed();
      delayedBytes += more.delayedBytes();
      unreadable += more.unreadable();
      unreadableBytes += more.unreadableBytes();
      persistent += more.persistent();
      persistentBytes += more.persistentBytes();
    }

    QueueTotals totals() {
      return new QueueTotals(
          ready,
          unacked,
          readyBytes,
          unackedBytes,
          delayed,
          delayedBytes,
          unreadable,
          unreadableBytes,
          persistent,
          persistentBytes);
    }
  }
}
