package io.mayflymq.core.runtime;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A thread for periodic work. An exception is reported, and the work is repeated at the next time
 * nevertheless. Any thread may call any method.
 */
public final class PeriodicWork implements AutoCloseable {
  private final ScheduledExecutorService thread;
  private final Faults faults;

  PeriodicWork(ScheduledExecutorService thread, Faults faults) {
    this.thread = thread;
    this.faults = faults;
  }

  /**
   * Repeats work after a delay.
   *
   * @param what the name of the work, in a few words for the log
   * @param delayMillis returns the delay before each repetition, in ms, 0 or more
   */
  public void repeat(String what, LongSupplier delayMillis, Runnable work) {
    schedule(what, delayMillis, work);
  }

  /**
   * Repeats work at a fixed rate.
   *
   * @param what the name of the work, in a few words for the log
   * @param intervalMillis in ms, 1 or more
   */
  public void every(String what, long intervalMillis, Runnable work) {
    thread.scheduleAtFixedRate(
        () -> run(what, work), intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
  }

  /**
   * Does work once, after a delay; does nothing once this is closed.
   *
   * @param delayMillis in ms, 0 or more
   */
  public void after(String what, long delayMillis, Runnable work) {
    try {
      thread.schedule(() -> run(what, work), delayMillis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      if (!thread.isShutdown()) {
        throw e;
      }
    }
  }

  /** Does work once, soon; does nothing once this is closed. */
  public void soon(String what, Runnable work) {
    if (!thread.isShutdown()) {
      thread.execute(() -> run(what, work));
    }
  }

  private void schedule(String what, LongSupplier delayMillis, Runnable work) {
    try {
      thread.schedule(
          () -> {
            try {
              run(what, work);
            } finally {
              schedule(what, delayMillis, work);
            }
          },
          delayMillis.getAsLong(),
          TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      if (!thread.isShutdown()) {
        throw e;
      }
    }
  }

  private void run(String what, Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      faults.report(what, e);
    }
  }

  /** Stops all work; work in progress is interrupted. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
