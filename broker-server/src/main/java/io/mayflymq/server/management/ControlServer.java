package io.mayflymq.server.management;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.server.config.LiveConfiguration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/*
 * Where whoever can read the control file controls the process: on the loopback address, whatever the configuration says, and as long as the
 * process lives. While the broker in it runs, the whole API is there too.
 *
 * Requests are answered by a few threads of their own, which may wait for shards; shards never wait for them.
 */
public final class ControlServer implements AutoCloseable {
  private static final int THREADS = 4;
  private static final long IDLE_SECONDS = 30;
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private final ThreadPoolExecutor threads;
  private HttpListener listener;
  private ControlFile file;

  /** The management of the broker, or null while that does not run. */
  private volatile ManagementServer running;

  private ControlServer() {
    AtomicInteger serial = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "management-" + serial.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Listens, and writes the control file.
   *
   * @param threads makes the thread that keeps that file
   * @throws IOException if it cannot listen
   */
  public static ControlServer start(
      LiveConfiguration configuration, ProcessControl process, BrokerThreads threads)
      throws IOException {
    ControlServer server = new ControlServer();
    try {
      server.listen(configuration, process, threads);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void listen(
      LiveConfiguration configuration, ProcessControl process, BrokerThreads brokers)
      throws IOException {
    Router control = new Router();
    new ProcessResource(configuration, process).addTo(control);
    control.otherwise(request -> running().control().handle(request));
    Map<String, Router.Handler> served = new LinkedHashMap<>();
    served.put("/api/", request -> running().api().handle(request));
    served.put("/control/", control::handle);
    String token = ControlFile.newToken();
    listener =
        new HttpListener(
            new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0),
            null,
            threads,
            new TokenAuthenticator(token, () -> running().authenticator()),
            served);
    listener.start();
    file = ControlFile.keep(configuration.settings().dataDir(), listener.address(), token, brokers);
  }

  private ManagementServer running() {
    ManagementServer server = running;
    if (server == null) {
      throw new ApiException(
          503,
          "not_running",
          "this command requires the 'rabbit' app to be running on the target node."
              + " Start it with 'rabbitmqctl start_app'.");
    }
    return server;
  }

  /** From now on this answers what is asked about the broker; null if it does not run. */
  void serve(ManagementServer server) {
    running = server;
  }

  Executor threads() {
    return threads;
  }

  /** Takes no more requests, and removes the control file. */
  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
    if (listener != null) {
      listener.close();
    }
    threads.shutdownNow();
  }
}
