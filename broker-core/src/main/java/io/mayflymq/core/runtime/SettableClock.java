package io.mayflymq.core.runtime;

import java.time.Instant;
import java.time.InstantSource;

/**
 * A clock that stands still until it is set, and never goes back: for tests of what takes hours. On
 * a shard of such a clock, no timer is waited for in real time. Any thread may read it; one sets
 * it.
 */
public final class SettableClock implements InstantSource {
  /** The last time that it can show: there are nanoseconds since the epoch until 2262 only. */
  public static final Instant LAST = Instant.parse("2199-12-31T23:59:59.999Z");

  private volatile long millis;

  /** Creates one that shows a time, in ms since the epoch, not after {@link #LAST}. */
  public SettableClock(long millis) {
    this.millis = millis;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis);
  }

  @Override
  public long millis() {
    return millis;
  }

  /**
   * Sets it.
   *
   * @param later in ms since the epoch, not before the time that it shows, not after {@link #LAST}
   * @throws IllegalArgumentException if it is before or after that
   */
  public void set(long later) {
    if (later < millis) {
      throw new IllegalArgumentException("%d is before %d".formatted(later, millis));
    }
    if (later > LAST.toEpochMilli()) {
      throw new IllegalArgumentException("%d is after %s".formatted(later, LAST));
    }
    millis = later;
  }
}
