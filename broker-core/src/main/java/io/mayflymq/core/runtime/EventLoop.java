package io.mayflymq.core.runtime;

import java.util.concurrent.Executor;

/**
 * The thread that a shard lives on, and its connections beside it. Tasks run one after the other,
 * in the order they came.
 */
public interface EventLoop extends Executor {
  /** Whether the caller is this thread. */
  boolean inEventLoop();

  /**
   * Runs a task on the thread once it has looked at its sockets again: for work in slices. A loop
   * runs all tasks that there are before it reads, also those that other tasks add meanwhile, so
   * slices that {@link #execute} each other would hold up clients as one long task does. On the
   * thread only.
   */
  default void executeLater(Runnable task) {
    execute(task);
  }

  /**
   * Runs a task on the thread after a delay.
   *
   * @param delayMillis 0 or more, in ms; the task does not run earlier
   */
  void schedule(Runnable task, long delayMillis);
}
