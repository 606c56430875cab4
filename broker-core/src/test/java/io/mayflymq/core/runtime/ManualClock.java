package io.mayflymq.core.runtime;

import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved: the one on the wall, and the time that passes. */
public final class ManualClock implements InstantSource {
  private long nowMillis = 1_800_000_000_000L;
  private long elapsedMillis;

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(nowMillis);
  }

  @Override
  public long millis() {
    return nowMillis;
  }

  /** How much time has passed, in ms: what delays are measured by. */
  long elapsedMillis() {
    return elapsedMillis;
  }

  /** Returns one for a broker, which notices when this one is set. */
  public SteadyClock steady() {
    return new SteadyClock(this, () -> elapsedMillis * 1_000_000, step -> {});
  }

  /** Lets time pass. */
  public void advance(long millis) {
    elapsedMillis += millis;
    nowMillis += millis;
  }

  /** Sets the clock on the wall, forward or back, while no time passes. */
  public void jump(long millis) {
    nowMillis += millis;
  }
}
