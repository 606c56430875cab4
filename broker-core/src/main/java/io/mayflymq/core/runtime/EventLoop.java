package io.mayflymq.core.runtime;

import java.util.concurrent.Executor;

/**
 * The thread that a shard and its connections run on. Tasks run one after the other, in the order
 * in which they were added.
 */
public interface EventLoop extends Executor {
  /** Whether the caller is this thread. */
  boolean inEventLoop();

  /**
   * Runs a task on the thread after it has read from its sockets again: for work in slices. An
   * event loop runs all pending tasks before it reads, including those that other tasks add
   * meanwhile, so slices that {@link #execute} each other would delay clients as much as one long
   * task. Call on the thread only.
   */
  default void executeLater(Runnable task) {
    execute(task);
  }

  /** Returns about how many tasks wait for the thread. Any thread may call. */
  default int backlog() {
    return 0;
  }

  /**
   * Returns the time in ns since some moment, which no clock that is set can change: delays are
   * measured by it. Any thread may call.
   */
  default long nanoTime() {
    return System.nanoTime();
  }

  /**
   * Runs a task on the thread after a delay.
   *
   * @param delayMillis 0 or more, in ms; the task does not run earlier
   */
  void schedule(Runnable task, long delayMillis);
}
