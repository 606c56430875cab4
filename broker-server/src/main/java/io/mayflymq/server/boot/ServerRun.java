package io.mayflymq.server.boot;

import io.mayflymq.server.cli.ExitCode;
import io.mayflymq.server.cli.ServerOptions;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.net.StartException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/**
 * The {@code server} command: a broker in this process, from its settings to its end. Whatever goes
 * wrong before the broker runs is told in one line on standard error, never by a stack trace.
 */
final class ServerRun {
  private final Map<String, String> environment;
  private final PrintWriter err;

  ServerRun(Map<String, String> environment, PrintWriter err) {
    this.environment = environment;
    this.err = err;
  }

  /** Starts the broker and waits; returns only if it could not be started. */
  int run(ServerOptions options) {
    Daemon daemon;
    try {
      Configuration configuration =
          Configuration.load(options.config(), environment, options.sets());
      daemon = Daemon.start(ServerSettings.of(configuration), configuration.warnings());
    } catch (ConfigException e) {
      return fail(ExitCode.CONFIG, e.getMessage());
    } catch (StartException e) {
      return fail(ExitCode.FAILURE, e.getMessage());
    } catch (RuntimeException | Error e) {
      LoggerFactory.getLogger(ServerRun.class).debug("start failed", e);
      return fail(ExitCode.FAILURE, "cannot start: " + e);
    }
    ShutdownHook.install(daemon);
    daemon.announceReady();
    awaitShutdown();
    return ExitCode.OK;
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
