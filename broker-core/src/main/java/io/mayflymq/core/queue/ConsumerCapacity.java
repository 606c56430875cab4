package io.mayflymq.core.queue;

/**
 * Which part of the time a queue could deliver at once what it had: below 1 if messages waited for
 * consumers that were busy, had no prefetch left, or were slow to read. A moving average over about
 * a second. Belongs to the queue's shard.
 *
 * <p>Source: RabbitMQ, "Consumers", section "Consumer Capacity"; the average is computed as its
 * queues do.
 */
final class ConsumerCapacity {
  private static final double WINDOW_MILLIS = 1_000;

  private boolean stalled;
  private long sinceMillis;

  /** How long the queue could deliver, before it stalled. */
  private long activeMillis;

  private double average;

  /**
   * Starts with a queue that could always deliver.
   *
   * @param nowMillis the time of the burst
   */
  public ConsumerCapacity(long nowMillis) {
    this.sinceMillis = nowMillis;
    this.average = 1;
  }

  /**
   * Notes whether messages wait for consumers.
   *
   * @param nowMillis the time of the burst
   */
  public void note(boolean waiting, long nowMillis) {
    if (waiting == stalled) {
      return;
    }
    long passed = Math.max(0, nowMillis - sinceMillis);
    if (waiting) {
      activeMillis = passed;
    } else {
      average = average(activeMillis, passed);
    }
    stalled = waiting;
    sinceMillis = nowMillis;
  }

  /** Returns the average, from 0 to 1. */
  public double value(long nowMillis) {
    long passed = Math.max(0, nowMillis - sinceMillis);
    return stalled ? average(activeMillis, passed) : average(passed, 0);
  }

  private double average(long active, long inactive) {
    long passed = active + inactive;
    if (passed == 0) {
      return average;
    }
    double weight = Math.min(1, passed / WINDOW_MILLIS);
    return (double) active / passed * weight + average * (1 - weight);
  }
}
