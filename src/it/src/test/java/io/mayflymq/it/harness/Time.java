package io.mayflymq.it.harness;

import java.util.concurrent.locks.LockSupport;

/**
 * Waits for real time to pass, for the few rules that depend on it (leases, heartbeats). All other
 * tests wait for a condition.
 */
public final class Time {
  private Time() {}

  /** Returns when at least this much time has passed, and never earlier. */
  public static void pass(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Milliseconds, with their fractions, between two {@link System#nanoTime} values. */
  public static double millisBetween(long start, long end) {
    return (end - start) / 1e6;
  }
}
