package io.mayflymq.core.fault;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;

/**
 * One thread for scheduled tasks. A scheduled task of the JDK keeps what it throws to itself, also
 * what is thrown in the JDK's own code around it, such as a lack of memory. Here that is reported.
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
        faults.contained("a task of thread", name, e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
