package io.mayflymq.server.ctl;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what the broker does meanwhile, by looking again and again. */
final class LookingAgain {
  private static final long MILLIS = 200;

  private LookingAgain() {}

  /**
   * Looks until something is so.
   *
   * @return whether it is so, and not the time of the command over
   */
  static boolean until(Invocation invocation, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(invocation.timeoutSeconds());
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      pause();
    }
    return true;
  }

  /** Waits before the next look. */
  static void pause() {
    pause(MILLIS);
  }

  /**
   * Waits.
   *
   * @throws ControlException if the thread is interrupted
   */
  static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ControlException.error(Sysexits.UNAVAILABLE, "interrupted");
    }
  }
}
