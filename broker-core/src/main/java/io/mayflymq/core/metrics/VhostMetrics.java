package io.mayflymq.core.metrics;

import io.mayflymq.core.policy.QueueType;

/**
 * The counters of one virtual host. Any thread may call.
 *
 * <p>The virtual host itself has no counters: its numbers are the sums of those of its channels
 * (publishes, confirms, returns) and its queues (everything else).
 */
public final class VhostMetrics {
  private final CounterGroup queues;
  private final CounterGroup channels = new CounterGroup();
  private final CounterGroup connections = new CounterGroup();
  private final ExchangeCounters exchanges;

  /**
   * Creates them.
   *
   * @param shards how many threads count
   * @param measuresWaits whether it is measured how long messages wait in queues
   */
  public VhostMetrics(int shards, boolean measuresWaits) {
    this.queues = new CounterGroup(QueueType.values().length, measuresWaits);
    this.exchanges = new ExchangeCounters(shards);
  }

  /** The counters of its queues. */
  public CounterGroup queues() {
    return queues;
  }

  /** Returns the kind of the counters of queues of a type in {@link #queues}. */
  @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
  public static int kindOf(QueueType type) {
    return type.ordinal();
  }

  /** The counters of the channels that are or were open to it. */
  public CounterGroup channels() {
    return channels;
  }

  /** The counters of the connections that are or were open to it: bytes and packets. */
  public CounterGroup connections() {
    return connections;
  }

  /** The counters of its exchanges. */
  public ExchangeCounters exchanges() {
    return exchanges;
  }

  /**
   * Takes samples of everything, for the rates. On one thread, every few seconds.
   *
   * @param nanos {@link System#nanoTime}
   * @param sincePreviousNanos the time between samples
   */
  public void sample(long nanos, long sincePreviousNanos) {
    queues.sample(nanos, sincePreviousNanos);
    channels.sample(nanos, sincePreviousNanos);
    connections.sample(nanos, sincePreviousNanos);
    exchanges.sample(nanos, sincePreviousNanos);
  }

  /** Forgets all samples but the last two. Any thread may call. */
  public void forgetHistory() {
    queues.forgetHistory();
    channels.forgetHistory();
    connections.forgetHistory();
    exchanges.forgetHistory();
  }
}
