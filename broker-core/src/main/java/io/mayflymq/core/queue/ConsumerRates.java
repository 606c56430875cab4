package io.mayflymq.core.queue;

/**
 * How many messages a consumer gets and acknowledges per second, counted in windows of some
 * seconds. What is told is that of the last window that has ended: exact, and up to a window old.
 * Belongs to the queue's shard.
 */
public final class ConsumerRates {
  /** The length of a window in ms. */
  static final long WINDOW_MILLIS = 5_000;

  /** None yet. */
  public static final Shown NONE = new Shown(0, 0);

  private static final double MILLIS_PER_SECOND = 1_000;

  /** When the present window ends; each is looked at only after its end. */
  private long endMillis;

  private long delivered;
  private long acknowledged;
  private Shown last = NONE;

  /**
   * The rates of a window.
   *
   * @param deliver messages per second that were sent to the consumer
   * @param ack messages per second that it has acknowledged
   */
  public record Shown(double deliver, double ack) {}

  /** A message is sent to the consumer. */
  public void delivered(long nowMillis) {
    proceed(nowMillis);
    delivered++;
  }

  /** The consumer has acknowledged messages. */
  public void acknowledged(long count, long nowMillis) {
    proceed(nowMillis);
    acknowledged += count;
  }

  /** Returns the rates of the last window. */
  public Shown shown(long nowMillis) {
    proceed(nowMillis);
    return last;
  }

  private void proceed(long nowMillis) {
    if (nowMillis < endMillis) {
      return;
    }
    boolean isNext = nowMillis < endMillis + WINDOW_MILLIS;
    last =
        isNext && delivered + acknowledged > 0
            ? new Shown(perSecond(delivered), perSecond(acknowledged))
            : NONE;
    endMillis = (isNext ? endMillis : nowMillis) + WINDOW_MILLIS;
    delivered = 0;
    acknowledged = 0;
  }

  private static double perSecond(long count) {
    return count * MILLIS_PER_SECOND / WINDOW_MILLIS;
  }
}
