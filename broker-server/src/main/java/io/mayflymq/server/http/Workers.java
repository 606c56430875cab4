package io.mayflymq.server.http;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that answer requests, which may wait, and a limited number of requests that wait for
 * one of them. What has begun to be answered is always taken. Any thread may call.
 */
final class Workers implements AutoCloseable {
  private static final long IDLE_SECONDS = 30;

  private final ExecutorService threads;
  private final AtomicInteger begun = new AtomicInteger();
  private final int most;

  Workers(HttpLimits limits, ThreadFactory factory) {
    this(limits.workers() + limits.maxWaiting(), pool(limits.workers(), factory));
  }

  /**
   * @param most requests that wait or are being answered
   */
  Workers(int most, ExecutorService threads) {
    this.most = most;
    this.threads = threads;
  }

  private static ExecutorService pool(int count, ThreadFactory factory) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            factory,
            new ThreadPoolExecutor.DiscardPolicy());
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /**
   * Begins a request.
   *
   * @return false if too many wait already
   */
  boolean begin(Runnable request) {
    if (begun.incrementAndGet() > most) {
      begun.decrementAndGet();
      return false;
    }
    threads.execute(
        () -> {
          try {
            request.run();
          } finally {
            begun.decrementAndGet();
          }
        });
    return true;
  }

  /** Goes on with a request. After the close nothing happens. */
  void goOn(Runnable request) {
    threads.execute(request);
  }

  /** Interrupts what is being answered, and drops what waits. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
