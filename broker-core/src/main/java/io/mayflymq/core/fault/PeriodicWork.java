package io.mayflymq.core.fault;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Work that a thread of its own does again and again. If it throws once, that is reported, and it
 * is done again at the next time all the same. Any thread may call any method.
 */
public final class PeriodicWork implements AutoCloseable {
  private final ScheduledExecutorService thread;
  private final Faults faults;

  PeriodicWork(ScheduledExecutorService thread, Faults faults) {
    this.thread = thread;
    this.faults = faults;
  }

  /**
   * Does something after each delay.
   *
   * @param what what it is, in a few words for the log
   * @param delayMillis asked each time, when it has been done; in ms, 0 or more
   */
  public void repeat(String what, LongSupplier delayMillis, Runnable work) {
    schedule(what, delayMillis, work);
  }

  /**
   * Does something at a fixed rate.
   *
   * @param what what it is, in a few words for the log
   * @param intervalMillis in ms, 1 or more
   */
  public void every(String what, long intervalMillis, Runnable work) {
    thread.scheduleAtFixedRate(
        () -> run(what, work), intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
  }

  /** Does something once, soon; nothing once this is closed. */
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
      faults.contained(what, e);
    }
  }

  /** Does nothing more; what is being done is interrupted. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
