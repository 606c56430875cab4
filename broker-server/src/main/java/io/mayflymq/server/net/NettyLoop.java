package io.mayflymq.server.net;

import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Faults;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A Netty event loop as the core sees it. Tasks for a loop that has shut down are dropped, as no
 * caller waits for them. Exceptions of tasks are reported here: Netty would only log them, or keep
 * them in a future that is never read.
 *
 * @param faults where that is reported
 */
record NettyLoop(io.netty.channel.EventLoop loop, Faults faults) implements EventLoop {
  @Override
  public boolean inEventLoop() {
    return loop.inEventLoop();
  }

  @Override
  public void execute(Runnable task) {
    try {
      loop.execute(() -> run(task));
    } catch (RejectedExecutionException e) {
      if (!loop.isShuttingDown()) {
        throw e;
      }
    }
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      faults.report("a task of an event loop", e);
    }
  }

  /** The tail of an iteration comes behind all tasks; what it adds comes behind the next reads. */
  @Override
  public void executeLater(Runnable task) {
    if (loop instanceof SingleThreadEventLoop netty && !loop.isShuttingDown()) {
      netty.executeAfterEventLoopIteration(() -> execute(task));
    } else {
      execute(task);
    }
  }

  @Override
  public int backlog() {
    return loop instanceof SingleThreadEventLoop netty ? netty.pendingTasks() : 0;
  }

  @Override
  public void schedule(Runnable task, long delayMillis) {
    if (!loop.isShuttingDown()) {
      loop.schedule(() -> run(task), delayMillis, TimeUnit.MILLISECONDS).addListener(this::report);
    }
  }

  /** Netty keeps to itself what a scheduled task throws. */
  private void report(Future<?> done) {
    if (done.cause() != null && !done.isCancelled()) {
      faults.report("a task of an event loop", done.cause());
    }
  }
}
