package io.mayflymq.core.fault;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/*
 * Makes every thread of the broker, so that none ends unnoticed.
 *
 * The broker cannot do without an essential one: a shard's loop, what writes messages or metadata. If it ends by an exception, so does the
 * process. An auxiliary one serves a request, samples or watches: its exception is reported and counted, and the work goes on with the next
 * request or at the next time.
 *
 * All are daemons: the process lives as long as the thread that started it waits.
 */
public final class BrokerThreads {
  private final Faults faults;

  /**
   * Makes threads.
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
   * Makes a thread that the broker cannot do without; it is still to be started.
   *
   * @param work if it throws, the process ends
   */
  public Thread essential(String name, Runnable work) {
    return essential(name, work, Thread::new);
  }

  /** Makes a thread that the broker can do without; it is still to be started. */
  public Thread auxiliary(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(
        (dead, fault) -> faults.contained("thread", dead.getName(), fault));
    return thread;
  }

  /**
   * Makes threads that the broker cannot do without, named {@code NAME-0} and so on.
   *
   * @param kind makes a thread of work and name: for a library that wants a class of its own
   */
  public ThreadFactory essentials(String name, BiFunction<Runnable, String, Thread> kind) {
    AtomicInteger serial = new AtomicInteger();
    return work -> essential(name + "-" + serial.getAndIncrement(), work, kind);
  }

  /** Makes threads that the broker can do without, named {@code NAME-0} and so on. */
  public ThreadFactory auxiliaries(String name) {
    AtomicInteger serial = new AtomicInteger();
    return work -> auxiliary(name + "-" + serial.getAndIncrement(), work);
  }

  /**
   * Makes an executor that the broker cannot do without: a task that throws ends the process.
   *
   * @param most how many threads there are at most
   */
  public ExecutorService essentialPool(String name, int most) {
    return Executors.newFixedThreadPool(most, work -> essential(name, work));
  }

  /** Makes a thread for work that is done again and again and that the broker can do without. */
  public PeriodicWork periodic(String name) {
    return new PeriodicWork(
        new ReportingScheduler(work -> auxiliary(name, work), name, faults), faults);
  }

  private Thread essential(String name, Runnable work, BiFunction<Runnable, String, Thread> kind) {
    Thread thread = kind.apply(work, name);
    thread.setDaemon(true);
    // Made now: later there may be no memory for it.
    String what = "thread " + name;
    thread.setUncaughtExceptionHandler((dead, fault) -> faults.fatal(what, fault));
    return thread;
  }
}
