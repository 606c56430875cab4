package io.mayflymq.core.retention;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How long an exchange or a binding may stay unused. Any thread may say that it was used, which is
 * one plain write, and any may ask; what is written is seen a moment later.
 */
public final class IdleLease {
  private static final VarHandle LAST_USE = lastUseHandle();

  private final long periodMillis;

  @SuppressWarnings("unused") // by its handle
  private long lastUseMillis;

  /**
   * Creates a lease that starts with a use.
   *
   * @param periodMillis how long it may stay unused, 1 or more
   * @param lastUseMillis when it was used last, in ms since the epoch
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

  /** It was used. */
  public void used(long nowMillis) {
    LAST_USE.setOpaque(this, nowMillis);
  }

  /** The same with another period, from the last use on. */
  public IdleLease withPeriod(long otherMillis) {
    return otherMillis == periodMillis ? this : new IdleLease(otherMillis, lastUse());
  }

  /** When it ends if nobody uses it, in ms since the epoch. */
  public long endMillis() {
    return Deadlines.after(lastUse(), periodMillis);
  }

  private long lastUse() {
    return (long) LAST_USE.getOpaque(this);
  }
}
