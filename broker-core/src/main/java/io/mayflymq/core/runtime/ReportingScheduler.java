package io.mayflymq.core.runtime;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;

/**
 * A thread for scheduled tasks. The JDK's implementation hides exceptions of scheduled tasks, also
 * those in the JDK's own code around them, such as a lack of memory. Here they are reported.
 */
final class ReportingScheduler extends ScheduledThreadPoolExecutor {
  private final String name;
  private final Faults faults;

  ReportingScheduler(ThreadFactory factory, String name, Faults faults) {
    super(1, factory);
    this.name = name;
    this.faults = faults;
  }

  @Override
  protected void afterExecute(Runnable task, Throwable thrown) {
    super.afterExecute(task, thrown);
    if (task instanceof Future<?> done && done.isDone() && !done.isCancelled()) {
      try {
        done.get();
      } catch (ExecutionException e) {
        faults.report("a task of thread", name, e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
