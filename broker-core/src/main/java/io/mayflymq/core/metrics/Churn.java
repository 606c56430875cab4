package io.mayflymq.core.metrics;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts how many connections, channels and queues were created and closed. Any thread may call.
 */
public final class Churn {
  /** The events that are counted. */
  public enum Event {
    CONNECTION_CREATED,
    CONNECTION_CLOSED,
    CHANNEL_CREATED,
    CHANNEL_CLOSED,
    /** {@code queue.declare} that was answered, of a new queue or not. */
    QUEUE_DECLARED,
    QUEUE_CREATED,
    QUEUE_DELETED,
    /** A queue was declared otherwise, and stays what it is, by a policy. */
    QUEUE_KEPT,
    /** A queue was declared otherwise, and has taken that over, by a policy. */
    QUEUE_ADOPTED;

    @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
    private final int cell = ordinal();

    /** Its name in RabbitMQ's management API, such as {@code queue_created}. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final LongAdder[] counts = new LongAdder[Event.values().length];

  /** When the first sample was taken. */
  private volatile long beginNanos = PastCounts.NO_SAMPLE;

  private final RateWindow rates = new RateWindow();

  /** Creates counters at 0. */
  public Churn() {
    Arrays.setAll(counts, index -> new LongAdder());
  }

  /** Counts an event. */
  public void happened(Event event) {
    counts[event.cell].increment();
  }

  /** Returns how often an event has occurred so far. */
  public long get(Event event) {
    return counts[event.cell].sum();
  }

  /** Returns how often per second it has occurred recently. */
  public double rate(Event event) {
    return rates.rate(event.cell);
  }

  /**
   * Returns how often an event had occurred at some moments of the last day.
   *
   * @param nanos the moments in ascending order, as {@link System#nanoTime} had them
   */
  public long[] at(Event event, long[] nanos) {
    return Arrays.stream(rates.at(nanos, counts.length))
        .mapToLong(row -> row[event.cell])
        .toArray();
  }

  /** Returns how many of the first of these moments were before the broker. */
  public int unknown(long[] nanos) {
    return PastCounts.since(beginNanos, null, nanos).unknown();
  }

  /** Takes a sample, for the rates. On one thread. */
  public void sample(long nanos, long sincePreviousNanos) {
    if (beginNanos == PastCounts.NO_SAMPLE) {
      beginNanos = nanos;
    }
    rates.sample(
        nanos,
        sincePreviousNanos,
        Arrays.stream(counts).mapToLong(LongAdder::sum).toArray(),
        SampleHistory.USUAL_BYTES);
  }
}
