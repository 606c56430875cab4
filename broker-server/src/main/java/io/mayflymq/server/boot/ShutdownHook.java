package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.logging.Logging;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles SIGTERM and SIGINT: stops the broker cleanly, then ends the process with exit code 0.
 *
 * <p>A Java process that a signal stops exits with 128 + the signal's number once its hooks are
 * done, however orderly they were; service managers take that for a failure. So this hook, the only
 * one there is, ends the process itself when the broker is closed, by {@code halt}: {@code exit}
 * would wait for the hook. A broker that cannot close within nine seconds is abandoned with exit
 * code 1, so that ten seconds after SIGTERM it is gone.
 */
final class ShutdownHook {
  private static final Logger LOGGER = LoggerFactory.getLogger(ShutdownHook.class);

  /** How long a broker may take to close. */
  static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(9);

  private final BrokerThreads threads;
  private final Thread thread;
  private volatile AutoCloseable daemon = () -> {};

  private ShutdownHook(BrokerThreads threads) {
    this.threads = threads;
    this.thread = threads.auxiliary("shutdown", this::end);
  }

  /**
   * Installs the hook: from now on a signal ends the process cleanly, with nothing to close yet.
   */
  static ShutdownHook install(BrokerThreads threads) {
    ShutdownHook hook = new ShutdownHook(threads);
    Runtime.getRuntime().addShutdownHook(hook.thread);
    return hook;
  }

  /** Sets what is closed first. */
  void guard(AutoCloseable started) {
    daemon = started;
  }

  /** Removes the hook, so that the process can end with another exit code. */
  void remove() {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
    } catch (IllegalStateException e) {
      // A signal came first: the hook is running and ends the process.
      LOGGER.debug("stopped while starting", e);
    }
  }

  private void end() {
    int exitCode = close(daemon, PATIENCE_MILLIS, threads);
    Logging.flush();
    Runtime.getRuntime().halt(exitCode);
  }

  /**
   * Closes the daemon, and returns the exit code: 0 if in order, 1 if it failed or took too long.
   */
  static int close(AutoCloseable daemon, long patienceMillis, BrokerThreads threads) {
    AtomicBoolean done = new AtomicBoolean();
    Thread closing = threads.auxiliary("shutdown-close", () -> close(daemon, done));
    closing.start();
    try {
      closing.join(patienceMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (closing.isAlive()) {
      LOGGER.error("could not stop in order within {} ms", patienceMillis);
    }
    return done.get() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static void close(AutoCloseable daemon, AtomicBoolean done) {
    try {
      daemon.close();
      done.set(true);
    } catch (Exception e) {
      LOGGER.error("could not stop in order", e);
    }
  }
}
