package io.mayflymq.server.net;

import io.mayflymq.core.runtime.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A Netty event loop as the core sees it. Tasks for a loop that has shut down are dropped: nobody
 * waits for them any more.
 */
record NettyLoop(io.netty.channel.EventLoop loop) implements EventLoop {
  @Override
  public boolean inEventLoop() {
    return loop.inEventLoop();
  }

  @Override
  public void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      if (!loop.isShuttingDown()) {
        throw e;
      }
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
  public void schedule(Runnable task, long delayMillis) {
    if (!loop.isShuttingDown()) {
      loop.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
    }
  }
}
