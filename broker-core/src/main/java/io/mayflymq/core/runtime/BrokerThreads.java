package io.mayflymq.core.runtime;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/**
 * Creates every thread of the broker, so that none ends unnoticed.
 *
 * <p>An essential thread is one that the broker cannot work without: a shard's event loop, a thread
 * that writes messages or metadata. If it ends by an exception, so does the process. An auxiliary
 * thread serves a request, collects statistics or monitors: its exception is reported and counted,
 * and the work continues with the next request or at the next time.
 *
 * <p>All are daemon threads: the process runs as long as the thread that started it waits.
 */
public final class BrokerThreads {
  private static final long IDLE_SECONDS = 30;

  private final Faults faults;

  /**
   * Creates the factory of threads.
   *
   * @param faults where their exceptions are reported
   */
  public BrokerThreads(Faults faults) {
    this.faults = faults;
  }

  /** Where exceptions are reported. */
  public Faults faults() {
    return faults;
  }

  /**
   * Creates an essential thread; it has not been started yet.
   *
   * @param work if it throws, the process ends
   */
  public Thread essential(String name, Runnable work) {
    return essential(name, work, Thread::new);
  }

  /** Creates an auxiliary thread; it has not been started yet. */
  public Thread auxiliary(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(
        (dead, fault) -> faults.report("thread", dead.getName(), fault));
    return thread;
  }

  /**
   * Creates a factory of essential threads, named {@code NAME-0} and so on.
   *
   * @param kind creates a thread from work and name: for a library that needs a class of its own
   */
  public ThreadFactory essentials(String name, BiFunction<Runnable, String, Thread> kind) {
    AtomicInteger serial = new AtomicInteger();
    return work -> essential(name + "-" + serial.getAndIncrement(), work, kind);
  }

  /** Creates a factory of auxiliary threads, named {@code NAME-0} and so on. */
  public ThreadFactory auxiliaries(String name) {
    AtomicInteger serial = new AtomicInteger();
    return work -> auxiliary(name + "-" + serial.getAndIncrement(), work);
  }

  /**
   * Creates an essential executor: a task that throws ends the process.
   *
   * @param most how many threads there are at most
   */
  public ExecutorService essentialPool(String name, int most) {
    return Executors.newFixedThreadPool(most, work -> essential(name, work));
  }

  /**
   * Creates an auxiliary executor, whose threads end when they have nothing to do for a while.
   *
   * @param most how many threads there are at most
   */
  public ExecutorService auxiliaryPool(String name, int most) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            auxiliaries(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Creates an auxiliary thread for periodic work. */
  public PeriodicWork periodic(String name) {
    return new PeriodicWork(
        new ReportingScheduler(work -> auxiliary(name, work), name, faults), faults);
  }

  private Thread essential(String name, Runnable work, BiFunction<Runnable, String, Thread> kind) {
    Thread thread = kind.apply(work, name);
    thread.setDaemon(true);
    // Computed now: later there may be no memory for it.
    String what = "thread " + name;
    thread.setUncaughtExceptionHandler((dead, fault) -> faults.fatal(what, fault));
    return thread;
  }
}
