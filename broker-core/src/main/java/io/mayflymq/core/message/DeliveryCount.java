package io.mayflymq.core.message;

import io.mayflymq.protocol.types.Int64Header;

/**
 * How often a message was handed out and came back, and how many of these deliveries failed: two
 * numbers of 31 bits in one long, so that a queue keeps both in one column. Of two counts of the
 * same message the larger one is the later one. Consumers are told in headers, which are integers
 * of 64 bits.
 *
 * <p>Source: RabbitMQ, "Quorum Queues", section "Poison Message Handling"; for 4.3 the release
 * 4.3.6 as it was seen to run.
 */
public final class DeliveryCount {
  /** No delivery yet. */
  public static final long NONE = 0;

  /** The header that tells how many deliveries have failed. */
  public static final String HEADER = "x-delivery-count";

  /** The header that tells how many deliveries there were. */
  public static final String ACQUIRED_HEADER = "x-acquired-count";

  private static final Int64Header FAILED = new Int64Header(HEADER);
  private static final Int64Header ACQUIRED = new Int64Header(ACQUIRED_HEADER);
  private static final int SHIFT = 32;

  private DeliveryCount() {}

  /**
   * Returns a count.
   *
   * @param acquired how often the message was handed out and came back, 0 or more
   * @param failed how many of these deliveries have failed, 0 to {@code acquired}
   */
  public static long of(int acquired, int failed) {
    return (long) acquired << SHIFT | failed;
  }

  /** Returns how often the message was handed out and came back. */
  public static int acquired(long count) {
    return (int) (count >>> SHIFT);
  }

  /** Returns how many of these deliveries have failed. */
  public static int failed(long count) {
    return (int) count;
  }

  /** Returns the count after one more delivery that came back. Neither number exceeds 2^31 - 1. */
  public static long next(long count, boolean failed) {
    int acquired = acquired(count);
    return acquired == Integer.MAX_VALUE
        ? count
        : of(acquired + 1, failed(count) + (failed ? 1 : 0));
  }

  /**
   * Returns the message as consumers get it from RabbitMQ 4.3: each number that is not 0 has its
   * header. The original is not changed.
   */
  public static Message tell(Message message, long count) {
    Message told = count == NONE ? message : message.with(ACQUIRED, acquired(count));
    return failed(count) == 0 ? told : tellFailed(told, count);
  }

  /**
   * Returns the message as consumers get it from RabbitMQ 3.13: with the failed deliveries alone,
   * also if there are none. The original is not changed.
   */
  public static Message tellFailed(Message message, long count) {
    return message.with(FAILED, failed(count));
  }
}
