package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.LoggedFaults;
import io.mayflymq.server.boot.CommandLineInterface.Commands;
import io.mayflymq.server.ctl.ControlTool;
import io.mayflymq.server.logging.Logging;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * A command of the jar in a process that is not its own, such as that of a test: the broker ends
 * when it is told to, signals are not its business, and the exit code is a result. One instance
 * runs one command. One broker at a time for each class loader, as the log belongs to the classes.
 *
 * <p>A fault that would end the process ends this broker, with the same exit code. The thread that
 * reports it never returns, as in a process of its own.
 */
public final class EmbeddedServer {
  private final Map<String, String> environment;
  private final InputStream in;
  private final PrintWriter out;
  private final PrintWriter err;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final BrokerThreads threads = new BrokerThreads(new LoggedFaults(this::fail));
  private final ServerStart server;
  private final AtomicBoolean failed = new AtomicBoolean();
  private volatile int exitCode = ExitCode.OK;
  private volatile AutoCloseable broker = () -> {};

  /**
   * @param environment the environment variables
   * @param in standard input
   * @param out standard output; the broker's log is written to that of the process
   * @param err standard error
   */
  public EmbeddedServer(
      Map<String, String> environment, InputStream in, PrintWriter out, PrintWriter err) {
    this.environment = environment;
    this.in = in;
    this.out = out;
    this.err = err;
    this.server = new ServerStart(environment, err, threads, this::terminate);
  }

  /**
   * Does what the arguments say, which are those of {@code java -jar mayfly.jar}; a broker runs
   * until it is told to end.
   *
   * @return what would be the exit code of the process
   */
  public int run(String... arguments) {
    Commands commands =
        new Commands(
            this::serve,
            options -> new DataCheck(out, err).run(options),
            () -> new TrainingRun(threads, TrainingRun.temporaryFiles(), environment, err).run(),
            control -> new ControlTool(environment, in, out, err).execute(control));
    return new CommandLineInterface(commands, out, err).execute(arguments);
  }

  private int serve(ServerOptions options) {
    int started = server.start(options, closeable -> broker = closeable);
    if (started != ExitCode.OK) {
      return started;
    }
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    int closed = ShutdownHook.close(broker, ShutdownHook.PATIENCE_MILLIS, threads);
    Logging.flush();
    return exitCode == ExitCode.OK ? closed : exitCode;
  }

  /** Ends the broker in order, as SIGTERM does. Does not wait. Any thread may call. */
  public void terminate() {
    ended.countDown();
  }

  /** Has the broker read its configuration again, as SIGHUP does. Any thread may call. */
  public void reload() {
    server.reload();
  }

  /** Only the first fault is logged: the log itself reports what it is given, and others wait. */
  private void fail(String what, Throwable cause) {
    if (failed.compareAndSet(false, true)) {
      exitCode = Faults.isOutOfMemory(cause) ? ExitCode.OUT_OF_MEMORY : ExitCode.FATAL;
      try {
        LoggerFactory.getLogger(EmbeddedServer.class)
            .error(
                "{} has ended: so does the broker, exit code {}: {}",
                what,
                exitCode,
                String.valueOf(cause));
        err.println("mayfly: " + what + " has ended: " + cause);
      } finally {
        ended.countDown();
      }
    }
    while (true) {
      LockSupport.park(this); // Nothing that is half done may go on.
    }
  }
}
