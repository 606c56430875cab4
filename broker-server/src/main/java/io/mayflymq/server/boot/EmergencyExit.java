package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.LoggedFaults;
import io.mayflymq.core.runtime.ProcessEnd;
import io.mayflymq.server.logging.Logging;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when an essential part has failed: reports why, and halts.
 *
 * <p>There is no orderly stop. The failed part may be one that a stop waits for, and confirmed
 * messages are on the disk, as after kill -9.
 *
 * <p>It must work when there is no memory at all. So everything it needs is created beforehand: a
 * thread that halts the process within two seconds, even if the log hangs, and the line for
 * standard error. The error is logged last, which may fail; some reserved memory is freed for it
 * first.
 *
 * <p>Java itself needs memory when a line of code is run for the first time: for a text that stands
 * in it, and to find the classes that it names. So the code from the end of a thread to the line on
 * standard error is run once at the start, without ending the process.
 */
final class EmergencyExit implements ProcessEnd {
  private static final Logger LOGGER = LoggerFactory.getLogger(EmergencyExit.class);
  private static final long LOG_PATIENCE_MILLIS = 2_000;
  private static final byte[] OUT_OF_MEMORY =
      "mayfly: out of memory, the process ends with exit code %d%n"
          .formatted(ExitCode.OUT_OF_MEMORY)
          .getBytes(StandardCharsets.UTF_8);
  private static final byte[] FATAL =
      "mayfly: something failed that the broker cannot do without, the process ends with exit code %d%n"
          .formatted(ExitCode.FATAL)
          .getBytes(StandardCharsets.UTF_8);

  /** Bytes that are free for the log when there are no others. */
  private static final int RESERVE = 256 * 1024;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch logged = new CountDownLatch(1);
  private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);
  private final boolean isRehearsal;
  private volatile int exitCode = ExitCode.FATAL;

  /** Kept only to be given back. */
  private final AtomicReference<byte[]> reserve;

  private EmergencyExit(boolean isRehearsal) {
    this.isRehearsal = isRehearsal;
    this.reserve = new AtomicReference<>(new byte[isRehearsal ? 0 : RESERVE]);
  }

  /**
   * Makes everything ready, and has threads that are not the broker's own, such as a library's,
   * report their exceptions too. Once in a process.
   *
   * @return what makes the threads of the broker
   */
  static BrokerThreads prepare() {
    rehearse();
    EmergencyExit exit = new EmergencyExit(false);
    Faults faults = new LoggedFaults(exit);
    BrokerThreads threads = new BrokerThreads(faults);
    threads.auxiliary("emergency-exit", exit::halt).start();
    Thread.setDefaultUncaughtExceptionHandler(uncaught(faults));
    return threads;
  }

  private static Thread.UncaughtExceptionHandler uncaught(Faults faults) {
    return (thread, fault) -> faults.report("thread", thread.getName(), fault);
  }

  /** Ends a thread of each kind by an OutOfMemoryError, without ending the process. */
  private static void rehearse() {
    EmergencyExit exit = new EmergencyExit(true);
    Faults faults = new LoggedFaults(exit);
    BrokerThreads threads = new BrokerThreads(faults);
    Runnable end =
        () -> {
          throw new OutOfMemoryError("rehearsal");
        };
    uncaught(faults).uncaughtException(Thread.currentThread(), new OutOfMemoryError("rehearsal"));
    for (Thread thread :
        List.of(threads.essential("rehearsal", end), threads.auxiliary("rehearsal", end))) {
      thread.start();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void now(String what, Throwable cause) {
    if (begin(Faults.isOutOfMemory(cause))) {
      reserve.set(null);
      try {
        if (isRehearsal) {
          return;
        }
        if (Faults.isFatal(cause)) {
          LOGGER.error(
              "{}: {}: the process ends with exit code {}", what, cause.toString(), exitCode);
        } else {
          LOGGER.error("{} has ended: so does the process, exit code {}", what, exitCode, cause);
        }
        Logging.flush();
      } catch (Throwable e) {
        // Standard error has the line that matters.
      } finally {
        logged.countDown();
      }
    }
    while (!isRehearsal) {
      LockSupport.park(this); // Nothing that is half done may go on.
    }
  }

  /** Returns whether this is the first fault; threads with later faults only wait. */
  private synchronized boolean begin(boolean outOfMemory) {
    if (begun.getCount() == 0) {
      return false;
    }
    exitCode = outOfMemory ? ExitCode.OUT_OF_MEMORY : ExitCode.FATAL;
    begun.countDown();
    try {
      byte[] line = outOfMemory ? OUT_OF_MEMORY : FATAL;
      err.write(line, 0, isRehearsal ? 0 : line.length);
    } catch (IOException e) {
      return true; // The parent process has closed standard error.
    }
    return true;
  }

  private void halt() {
    Runtime runtime = Runtime.getRuntime();
    try {
      begun.await();
      if (!logged.await(LOG_PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        LOGGER.debug("the log did not take the reason");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // Nothing interrupts it.
    } finally {
      runtime.halt(exitCode);
    }
  }
}
