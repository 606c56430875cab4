package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.logging.Logging;
import io.mayflymq.server.net.SettingsException;
import io.mayflymq.server.net.StartException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * Starts a broker from its settings, whether the process is its own ({@link ServerRun}) or not
 * ({@link EmbeddedServer}). An error is reported in one line on standard error, never as a stack
 * trace; of the errors of a configuration each has its line.
 */
final class ServerStart {
  private final Map<String, String> environment;
  private final PrintWriter err;
  private final BrokerThreads threads;
  private final Runnable end;

  /** The broker, once it has started. */
  private volatile Daemon running;

  /**
   * @param environment the environment variables
   * @param err for the line that says why it could not start
   * @param threads makes all threads
   * @param end ends the broker on request, in its own time
   */
  ServerStart(
      Map<String, String> environment, PrintWriter err, BrokerThreads threads, Runnable end) {
    this.environment = environment;
    this.err = err;
    this.threads = threads;
    this.end = end;
  }

  /**
   * Starts it and says that it is ready.
   *
   * @param started is given what stops it in order, before it is said to be ready
   * @return the exit code of the process if it could not be started; else {@link ExitCode#OK}
   */
  int start(ServerOptions options, Consumer<AutoCloseable> started) {
    try {
      LiveConfiguration configuration =
          LiveConfiguration.read(
              () -> Configuration.load(options.config(), environment, options.sets()));
      Daemon daemon =
          Daemon.start(configuration, threads, ProcessUse.OWN, options.acceptsLoss(), end);
      SystemdNotifier manager = new SystemdNotifier(environment, threads);
      started.accept(
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
    } catch (SettingsException e) {
      return fail(ExitCode.CONFIG, e.getMessage());
    } catch (StartException e) {
      return fail(ExitCode.FAILURE, e.getMessage());
    } catch (RuntimeException | Error e) {
      if (Faults.isFatal(e)) {
        threads.faults().fatal("the start", e);
      }
      LoggerFactory.getLogger(ServerStart.class).debug("start failed", e);
      return fail(ExitCode.FAILURE, "cannot start: " + e);
    }
  }

  /** Has it read its configuration again; has no effect before it has started. */
  void reload() {
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
}
