package io.mayflymq.server.boot;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.core.fault.Faults;
import io.mayflymq.server.commandline.ExitCode;
import io.mayflymq.server.commandline.ServerOptions;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.source.ConfigException;
import io.mayflymq.server.logging.Logging;
import io.mayflymq.server.net.StartException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/**
 * The {@code server} command: a broker in this process, from its settings to its end. An error
 * before the broker runs is reported in one line on standard error, never as a stack trace; of the
 * errors of a configuration each has its line.
 */
final class ServerRun {
  private final Map<String, String> environment;
  private final PrintWriter err;

  /** The broker, once it has started. */
  private volatile Daemon running;

  private final BrokerThreads threads;

  /**
   * @param environment the environment variables
   * @param err for the line that says why it could not start
   * @param threads makes all threads
   */
  ServerRun(Map<String, String> environment, PrintWriter err, BrokerThreads threads) {
    this.environment = environment;
    this.threads = threads;
    this.err = err;
  }

  /** Starts the broker and waits; returns only if it could not be started. */
  int run(ServerOptions options) {
    ShutdownHook hook = ShutdownHook.install(threads);
    Signals.answer(this::reload);
    int exitCode = start(options, hook);
    if (exitCode == ExitCode.OK) {
      awaitShutdown();
    }
    hook.remove();
    return exitCode;
  }

  private int start(ServerOptions options, ShutdownHook hook) {
    try {
      LiveConfiguration configuration =
          LiveConfiguration.read(
              () -> Configuration.load(options.config(), environment, options.sets()));
      Daemon daemon = Daemon.start(configuration, threads, options.acceptsLoss());
      SystemdNotifier manager = new SystemdNotifier(environment, threads);
      hook.guard(
          () -> {
            manager.close();
            daemon.close();
          });
      running = daemon;
      daemon.announceReady();
      manager.ready(daemon::works);
      return ExitCode.OK;
    } catch (ConfigException e) {
      e.errors().forEach(error -> fail(ExitCode.CONFIG, error));
      return ExitCode.CONFIG;
    } catch (DataRefusedException e) {
      return fail(ExitCode.DATA, e.getMessage());
    } catch (StartException e) {
      return fail(ExitCode.FAILURE, e.getMessage());
    } catch (RuntimeException | Error e) {
      if (Faults.isFatal(e)) {
        threads.faults().fatal("the start", e);
      }
      LoggerFactory.getLogger(ServerRun.class).debug("start failed", e);
      return fail(ExitCode.FAILURE, "cannot start: " + e);
    }
  }

  /** SIGHUP; one that comes during the start is late enough to be of no use. */
  private void reload() {
    Daemon daemon = running;
    if (daemon != null) {
      daemon.reload();
    }
  }

  private int fail(int exitCode, String message) {
    Logging.flush();
    err.println("mayfly: " + String.join(" ", message.lines().map(String::strip).toList()));
    return exitCode;
  }

  /** Keeps this thread for good: {@link ShutdownHook} ends the process. */
  private static void awaitShutdown() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
