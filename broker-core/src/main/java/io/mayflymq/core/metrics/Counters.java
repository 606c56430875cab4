package io.mayflymq.core.metrics;

import io.mayflymq.core.metrics.histogram.Buckets;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.protocol.types.ShortString;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The counters of one queue, channel, exchange or connection.
 *
 * <p>One thread writes: the event loop of the owner. So an addition is a load and a store, with no
 * lock and no atomic instruction. The store is opaque: any thread may read, sees no torn number,
 * and each number only grows.
 */
public final class Counters implements Counts {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private static final Buckets WAITS =
      Buckets.millis(
          1,
          5,
          20,
          100,
          500,
          1_000,
          5_000,
          20_000,
          60_000,
          300_000,
          1_800_000,
          10_800_000,
          86_400_000);

  /** Shared by counters that are all 0; never written. */
  private static final long[] NOTHING = new long[Counter.COUNT];

  /** The {@link #place} of a member of no group. */
  static final int NOWHERE = -1;

  /** Its index in its group. Guarded by the group. */
  int place = NOWHERE;

  /** Its kind in its group. Guarded by the group. */
  int kind;

  private volatile long[] values = NOTHING;

  /** Null until a message came through an exchange. */
  private volatile IntakeCounts intake;

  /** Null unless it is measured how long messages wait. */
  private volatile Histogram waits;

  private final RateWindow rates = new RateWindow();

  /** When the first sample was taken. */
  private volatile long beginNanos = PastCounts.NO_SAMPLE;

  /** Adds to a counter. On the owner's thread. */
  public void add(Counter counter, long count) {
    int cell = counter.cell;
    long[] own = values;
    if (own == NOTHING) {
      own = new long[Counter.COUNT];
      values = own;
    }
    CELL.setOpaque(own, cell, own[cell] + count);
  }

  /** A queue has accepted a message that came through an exchange. On the owner's thread. */
  public void accepted(ShortString exchange, int bodyBytes) {
    add(Counter.PUBLISHED, 1);
    add(Counter.PUBLISHED_BYTES, bodyBytes);
    IntakeCounts counts = intake;
    if (counts == null) {
      counts = new IntakeCounts();
      intake = counts;
    }
    counts.add(exchange);
  }

  /** Returns what came through which exchange. Any thread may call. */
  public Map<String, Long> intake() {
    IntakeCounts counts = intake;
    return counts == null ? Map.of() : counts.byExchange();
  }

  /** From now on it is measured how long messages wait. */
  void measureWaits() {
    waits = new Histogram(WAITS);
  }

  /**
   * Returns how long messages had been in a queue when they were first delivered or got; null
   * unless that is measured. On the owner's thread it may be recorded, in ms.
   */
  public Histogram waits() {
    return waits;
  }

  /** A message was sent to a consumer. On the owner's thread. */
  public void delivered(boolean acknowledges, int bodyBytes, boolean redelivered) {
    add(acknowledges ? Counter.DELIVERED : Counter.DELIVERED_NO_ACK, 1);
    handedOut(bodyBytes, redelivered);
  }

  /** A message was taken by {@code basic.get}. On the owner's thread. */
  public void got(boolean acknowledges, int bodyBytes, boolean redelivered) {
    add(acknowledges ? Counter.GOT : Counter.GOT_NO_ACK, 1);
    handedOut(bodyBytes, redelivered);
  }

  private void handedOut(int bodyBytes, boolean redelivered) {
    add(Counter.DELIVERED_BYTES, bodyBytes);
    if (redelivered) {
      add(Counter.REDELIVERED, 1);
    }
  }

  @Override
  public long get(Counter counter) {
    return read(counter.cell);
  }

  @Override
  public double rate(Counter counter) {
    return rates.rate(counter.cell);
  }

  @Override
  public PastCounts at(long[] nanos) {
    return PastCounts.since(beginNanos, rates.at(nanos, Counter.COUNT), nanos);
  }

  /**
   * Nothing is known of the time before this moment.
   *
   * @param nanos {@link PastCounts#NO_SAMPLE} for that of the next sample
   */
  void beginAt(long nanos) {
    beginNanos = nanos;
  }

  void forgetHistory() {
    beginNanos = PastCounts.NO_SAMPLE;
    rates.forgetHistory();
  }

  /** Adds all of these to a row of sums. */
  void addTo(long[] sums) {
    if (values == NOTHING) {
      return;
    }
    for (int cell = 0; cell < sums.length; cell++) {
      sums[cell] += read(cell);
    }
  }

  /** Takes a sample, for the rates; see {@link RateWindow#sample}. On one thread. */
  public void sample(long nanos, long sincePreviousNanos) {
    sample(nanos, sincePreviousNanos, SampleHistory.USUAL_BYTES);
  }

  /**
   * Takes a sample.
   *
   * @param historyBytes how many bytes the history may take
   */
  void sample(long nanos, long sincePreviousNanos, int historyBytes) {
    if (beginNanos == PastCounts.NO_SAMPLE) {
      beginNanos = nanos;
    }
    if (rates.rests(nanos, values)) {
      return;
    }
    long[] now = new long[Counter.COUNT];
    addTo(now);
    rates.sample(nanos, sincePreviousNanos, now, historyBytes);
  }

  /**
   * The first sample since which none of these has changed, as {@link System#nanoTime} had it;
   * empty if one has, or there was no sample. Any thread may ask.
   */
  public OptionalLong stillSinceNanos() {
    long[] now = new long[Counter.COUNT];
    addTo(now);
    return rates.stillSinceNanos(now);
  }

  private long read(int cell) {
    return (long) CELL.getOpaque(values, cell);
  }
}
