package io.mayflymq.server.http;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * The threads that answer requests, and a limited number of requests that wait for one of them.
 * Further work on a request that is being answered is always accepted.
 *
 * <p>Requests wait for shards and the disk, which mostly answer within a millisecond, but may be
 * stuck. If a request has waited for a short time, another thread is added for other requests until
 * its answer arrives. So requests that wait for a stuck part do not use up the workers. The number
 * of such waiting requests is limited too; above the limit further ones are refused after a short
 * time.
 *
 * <p>Any thread may call.
 */
public final class Workers implements AutoCloseable {
  /** Too many requests wait for parts that do not answer. */
  public static final class TooManyWaitException extends Exception {
    private static final long serialVersionUID = 1L;

    TooManyWaitException() {
      super("too many requests wait", null, false, false);
    }
  }

  private static final long IDLE_SECONDS = 30;

  /** Most answers are there sooner. */
  private static final long SHORT_MILLIS = 20;

  /** How long a request waits if no thread may be added for it. */
  private static final long PATIENCE_MILLIS = 1_500;

  private static final ThreadLocal<Workers> CURRENT = new ThreadLocal<>();

  private final Executor threads;

  /** Sets the number of threads. */
  private final IntConsumer resize;

  private final Runnable shutDown;
  private final AtomicInteger begun = new AtomicInteger();
  private final int most;
  private final int workers;
  private final Semaphore running;
  private final Semaphore waiting;
  private int aside;

  /**
   * Creates them.
   *
   * @param limits how many there are, and how many requests may wait
   * @param factory makes the threads
   */
  public Workers(HttpLimits limits, ThreadFactory factory) {
    this(limits, pool(limits, factory));
  }

  private Workers(HttpLimits limits, ThreadPoolExecutor pool) {
    this(limits, pool, pool::setCorePoolSize, pool::shutdownNow);
  }

  /**
   * @param threads runs the requests; its size is set by {@code resize}
   */
  Workers(HttpLimits limits, Executor threads, IntConsumer resize, Runnable shutDown) {
    this.threads = threads;
    this.resize = resize;
    this.shutDown = shutDown;
    this.most = limits.workers() + limits.maxWaiting();
    this.workers = limits.workers();
    this.running = new Semaphore(limits.workers());
    this.waiting = new Semaphore(limits.maxAside());
  }

  private static ThreadPoolExecutor pool(HttpLimits limits, ThreadFactory factory) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            limits.workers(),
            limits.workers() + limits.maxAside(),
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
  public boolean begin(Runnable request) {
    if (begun.incrementAndGet() > most) {
      begun.decrementAndGet();
      return false;
    }
    threads.execute(
        () -> {
          try {
            run(request);
          } finally {
            begun.decrementAndGet();
          }
        });
    return true;
  }

  /** Continues a request. Does nothing after the close. */
  void goOn(Runnable request) {
    threads.execute(() -> run(request));
  }

  private void run(Runnable request) {
    running.acquireUninterruptibly();
    CURRENT.set(this);
    try {
      request.run();
    } finally {
      CURRENT.remove();
      running.release();
    }
  }

  /**
   * Waits for an answer; called by whatever handles a request.
   *
   * @param millis how long at most
   * @throws TimeoutException if it takes longer
   * @throws TooManyWaitException if it is not there soon, and too many others wait already
   */
  public static <T> T await(Future<T> answer, long millis)
      throws ExecutionException, InterruptedException, TimeoutException, TooManyWaitException {
    Workers workers = CURRENT.get();
    return workers == null || answer.isDone()
        ? answer.get(millis, TimeUnit.MILLISECONDS)
        : workers.awaitAside(answer, millis);
  }

  private <T> T awaitAside(Future<T> answer, long millis)
      throws ExecutionException, InterruptedException, TimeoutException, TooManyWaitException {
    try {
      return answer.get(Math.min(SHORT_MILLIS, millis), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      if (millis <= SHORT_MILLIS) {
        throw e;
      }
    }
    if (!waiting.tryAcquire()) {
      try {
        return answer.get(Math.min(PATIENCE_MILLIS, millis), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (millis <= PATIENCE_MILLIS) {
          throw e;
        }
        throw new TooManyWaitException();
      }
    }
    stepAside(1);
    running.release();
    try {
      return answer.get(millis - SHORT_MILLIS, TimeUnit.MILLISECONDS);
    } finally {
      running.acquireUninterruptibly();
      stepAside(-1);
      waiting.release();
    }
  }

  private synchronized void stepAside(int change) {
    aside += change;
    resize.accept(workers + aside);
  }

  /** Interrupts requests that are being answered, and drops waiting ones. */
  @Override
  public void close() {
    shutDown.run();
  }
}
