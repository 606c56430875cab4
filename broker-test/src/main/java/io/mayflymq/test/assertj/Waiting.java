package io.mayflymq.test.assertj;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for what clients are about to do: a message that was published without a confirm, or an
 * acknowledgement, is on its way for some time.
 */
final class Waiting {
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private Waiting() {}

  /** Waits, for two seconds of real time at most, until it is true, and fails if it is not. */
  static void until(BooleanSupplier condition, Runnable fail) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > LONGEST_NANOS) {
        fail.run();
        return;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
