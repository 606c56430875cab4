package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The {@code server} command: a broker that has this process, from its settings to its end. */
final class ServerRun {
  /**
   * How many seconds Java keeps the address of a name. By default it keeps it for 30: so long other
   * nodes would not find one whose pod was replaced.
   *
   * <p>Source: "Networking Properties" of the JDK, section "Address Cache".
   */
  private static final String ADDRESS_SECONDS = "sun.net.inetaddr.ttl";

  private final ServerStart server;
  private final BrokerThreads threads;

  /**
   * @param environment the environment variables
   * @param err for the line that says why it could not start
   * @param threads makes all threads
   */
  ServerRun(Map<String, String> environment, PrintWriter err, BrokerThreads threads) {
    this.threads = threads;
    this.server = new ServerStart(environment, err, threads, this::exit);
  }

  /** Starts the broker and waits; returns only if it could not be started. */
  int run(ServerOptions options) {
    if (System.getProperty(ADDRESS_SECONDS) == null) {
      System.setProperty(ADDRESS_SECONDS, "5");
    }
    ShutdownHook hook = ShutdownHook.install(threads);
    // A signal that comes during the start is late enough to be of no use.
    Signals.answer(server::reload);
    int exitCode = server.start(options, hook::guard);
    if (exitCode == ExitCode.OK) {
      awaitShutdown();
    }
    hook.remove();
    return exitCode;
  }

  /** {@code exit} waits for {@link ShutdownHook}, which ends the process with a code of its own. */
  private void exit() {
    threads.auxiliary("stop", () -> System.exit(ExitCode.OK)).start();
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
