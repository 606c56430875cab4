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
   * Runs a task on the thread after a delay.
   *
   * @param delayMillis 0 or more, in ms; the task does not run earlier
   */
  void schedule(Runnable task, long delayMillis);
}
