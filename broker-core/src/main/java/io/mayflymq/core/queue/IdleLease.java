package io.mayflymq.core.queue;

import io.mayflymq.core.queue.index.Deadlines;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How long an exchange or a binding may stay unused. Any thread may record a use, which is one
 * plain write, and any thread may read the lease; other threads see the write a moment later.
 */
public final class IdleLease {
  private static final VarHandle LAST_USE = lastUseHandle();

  private final long periodMillis;

  // accessed through its VarHandle
  @SuppressWarnings("unused")
  private long lastUseMillis;

  /**
   * Creates a lease that starts with a use.
   *
   * @param periodMillis how long it may stay unused, 1 or more
   * @param lastUseMillis when it was used last, in ms by a clock that nothing sets
   */
  public IdleLease(long periodMillis, long lastUseMillis) {
    this.periodMillis = periodMillis;
    used(lastUseMillis);
  }

  private static VarHandle lastUseHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(IdleLease.class, "lastUseMillis", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Records a use. */
  public void used(long nowMillis) {
    LAST_USE.setOpaque(this, nowMillis);
  }

  /** Returns a lease with another period, counted from the same last use. */
  public IdleLease withPeriod(long otherMillis) {
    return otherMillis == periodMillis ? this : new IdleLease(otherMillis, lastUse());
  }

  /** Returns when it ends if it stays unused, in ms by a clock that nothing sets. */
  public long endMillis() {
    return Deadlines.after(lastUse(), periodMillis);
  }

  private long lastUse() {
    return (long) LAST_USE.getOpaque(this);
  }
}
