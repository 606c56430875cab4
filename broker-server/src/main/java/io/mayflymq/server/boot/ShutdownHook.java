package io.mayflymq.server.boot;

import io.mayflymq.server.cli.ExitCode;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What SIGTERM and SIGINT do: stop in order, then end with exit code 0.
 *
 * <p>A Java process that a signal stops exits with 128 + the signal's number once its hooks are
 * done, however orderly they were; service managers take that for a failure. So this hook, the only
 * one there is, ends the process itself when the broker is closed, by {@code halt}: {@code exit}
 * would wait for the hook. A broker that cannot close within nine seconds is abandoned with exit
 * code 1, so that ten seconds after SIGTERM it is gone.
 */
final class ShutdownHook {
  private static final Logger LOGGER = LoggerFactory.getLogger(ShutdownHook.class);
  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(9);

  private final Thread thread = new Thread(this::end, "shutdown");
  private volatile AutoCloseable daemon = () -> {};

  private ShutdownHook() {}

  /** From now on a signal ends the process in order, with nothing to close yet. */
  static ShutdownHook install() {
    ShutdownHook hook = new ShutdownHook();
    Runtime.getRuntime().addShutdownHook(hook.thread);
    return hook;
  }

  /** From now on this is closed first. */
  void guard(AutoCloseable started) {
    daemon = started;
  }

  /** Takes the hook away, so that the process can end with an exit code of its own. */
  void remove() {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
    } catch (IllegalStateException e) {
      // A signal came first: the hook is running and ends the process.
      LOGGER.debug("stopped while starting", e);
    }
  }

  private void end() {
    int exitCode = close(daemon, PATIENCE_MILLIS);
    Logging.flush();
    Runtime.getRuntime().halt(exitCode);
  }

  /** Closes it, and says how that went: 0 if in order, 1 if it failed or took too long. */
  static int close(AutoCloseable daemon, long patienceMillis) {
    Closing closing = new Closing(daemon);
    closing.start();
    try {
      closing.join(patienceMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (closing.isAlive()) {
      LOGGER.error("could not stop in order within {} ms", patienceMillis);
    }
    return closing.done ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static final class Closing extends Thread {
    private final AutoCloseable daemon;
    private volatile boolean done;

    Closing(AutoCloseable daemon) {
      super("shutdown-close");
      setDaemon(true);
      this.daemon = daemon;
    }

    @Override
    public void run() {
      try {
        daemon.close();
        done = true;
      } catch (Exception e) {
        LOGGER.error("could not stop in order", e);
      }
    }
  }
}
