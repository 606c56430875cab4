package io.mayflymq.server.management;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.http.HttpServer;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.auth.HostCheck;
import io.mayflymq.server.management.auth.TokenAuthenticator;
import io.mayflymq.server.management.resource.ProcessControl;
import io.mayflymq.server.management.resource.ProcessResource;
import io.mayflymq.server.management.resource.ServerLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * The HTTP server for clients that have read the control file. It always listens on the loopback
 * address, whatever the configuration says, until the process ends. While the broker runs in the
 * process, it serves the whole API too.
 *
 * <p>It has its own event loop and workers, so that the broker can be controlled while the API's
 * server is busy.
 */
public final class ControlServer implements AutoCloseable {
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private HttpServer server;
  private ControlFile file;

  /** The management of the broker, or null while that does not run. */
  private volatile ManagementServer running;

  private ControlServer() {}

  /** One that listens nowhere, for a broker whose process has other means to control it. */
  public static ControlServer none() {
    return new ControlServer();
  }

  /**
   * Listens, and writes the control file.
   *
   * @param threads makes its threads
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
      LiveConfiguration configuration, ProcessControl process, BrokerThreads threads)
      throws IOException {
    RequestRouter control = new RequestRouter();
    new ProcessResource(configuration, process).addTo(control);
    control.otherwise(() -> running().control());
    String token = ControlFile.newToken();
    server =
        new HttpServer(
            "control",
            ServerLimits.control(configuration.settings().management()),
            new ApiService(
                new HostCheck(
                    new TokenAuthenticator(token, () -> running().authenticator()),
                    login -> true,
                    () -> configuration.settings().management().allowedHosts()),
                Map.of(
                    "/api/",
                    new ApiService.Part(() -> running().api(), false),
                    "/control/",
                    new ApiService.Part(() -> control, true)),
                threads.faults()),
            threads);
    InetSocketAddress address =
        server.listen(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0), null);
    server.start();
    file = ControlFile.keep(configuration.settings().dataDir(), address, token, threads);
  }

  private ManagementServer running() {
    ManagementServer server = running;
    if (server == null) {
      throw new ApiException(
          503,
          "not_running",
          "this command requires the broker to be running in its process."
              + " Start it with 'mayflyctl start_app'.");
    }
    return server;
  }

  /** Sets what answers requests about the broker; null while the broker does not run. */
  void serve(ManagementServer server) {
    running = server;
  }

  /** Accepts no more requests, and deletes the control file. */
  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
