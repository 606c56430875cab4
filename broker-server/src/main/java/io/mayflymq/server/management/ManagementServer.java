package io.mayflymq.server.management;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.config.ManagementSettings;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.connection.ConnectionEnvironment;
import io.mayflymq.server.definitions.BrokerDefinitions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The management API on its sockets: one where the configuration says, for users with their passwords, and one on the loopback address
 * for whoever can read the control file, which is there whatever the configuration says.
 *
 * Requests are answered by a few threads of their own, which may wait for shards; shards never wait for them.
 */
public final class ManagementServer implements AutoCloseable {
  /**
   * What is managed.
   *
   * @param environment the broker and its connections
   * @param administration what administrators may do
   * @param definitions all that is declared
   */
  public record Managed(
      ConnectionEnvironment environment,
      Administration administration,
      BrokerDefinitions definitions) {}

  private static final Logger LOGGER = LoggerFactory.getLogger(ManagementServer.class);
  private static final int THREADS = 4;
  private static final long IDLE_SECONDS = 30;
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private final ThreadPoolExecutor threads;
  private final StatisticsSampler sampler;
  private HttpListener open;
  private HttpListener local;
  private ControlFile controlFile;

  private ManagementServer(StatisticsSampler sampler) {
    AtomicInteger serial = new AtomicInteger();
    this.sampler = sampler;
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
   * @param managed what it manages
   * @param amqp where clients of AMQP connect
   * @param process what can be done to the process
   * @param monitors what watches memory and disk
   * @throws IOException if it cannot listen or write; the message says where and why
   */
  public static ManagementServer start(
      ServerSettings settings,
      Managed managed,
      List<InetSocketAddress> amqp,
      ProcessControl process,
      ResourceMonitors monitors)
      throws IOException {
    ManagementSettings management = settings.management();
    ManagementServer server =
        new ManagementServer(
            StatisticsSampler.start(
                managed.environment().broker(), management.statisticsIntervalMillis()));
    try {
      server.listen(settings, managed, amqp, process, monitors);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void listen(
      ServerSettings settings,
      Managed managed,
      List<InetSocketAddress> amqp,
      ProcessControl process,
      ResourceMonitors monitors)
      throws IOException {
    ManagedBroker broker = new ManagedBroker(managed);
    AccessControl accessControl = broker.accessControl();
    AuthAttempts attempts = new AuthAttempts();
    Router api = new Router();
    Optional<InetSocketAddress> wanted = settings.management().address();
    if (wanted.isPresent()) {
      try {
        open =
            new HttpListener(
                wanted.get(),
                threads,
                Authenticator.ofUsers(accessControl, attempts),
                Map.of("/api/", api));
      } catch (IOException e) {
        throw new IOException(
            "cannot listen for HTTP on %s: %s".formatted(text(wanted.get()), e.getMessage()), e);
      }
    }
    Node node =
        new Node(
            amqp,
            settings.tlsListeners().stream().map(ListenerSettings::address).toList(),
            open == null ? List.of() : List.of(open.address()),
            settings.dataDir(),
            settings.log().file().orElse(null),
            settings.auth().mechanisms());
    addResources(api, broker, node, attempts, monitors, settings);
    Router control = new Router();
    new ControlResource(broker, node, process, monitors, settings.memory()).addTo(control);
    String token = ControlFile.newToken();
    local =
        new HttpListener(
            new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0),
            threads,
            Authenticator.ofControl(accessControl, attempts, token),
            Map.of("/api/", api, "/control/", control));
    try {
      controlFile = ControlFile.write(settings.dataDir(), local.address(), token);
    } catch (IOException e) {
      // As on a full disk, which consumers may relieve: a broker without control beats none.
      LOGGER.warn("cannot write the control file, so mayflyctl needs --url: {}", e.toString());
    }
    if (open != null) {
      LOGGER.info("listening for HTTP on {}", text(open.address()));
    }
  }

  private static void addResources(
      Router api,
      ManagedBroker managed,
      Node node,
      AuthAttempts attempts,
      ResourceMonitors monitors,
      ServerSettings settings) {
    new OverviewResource(managed, node, monitors).addTo(api);
    new HealthResource(managed, node, new TlsHealth(settings.tls())).addTo(api);
    new AuthResource(attempts).addTo(api);
    new UserResource(managed).addTo(api);
    new PermissionResource(managed).addTo(api);
    new TopicPermissionResource(managed).addTo(api);
    new VhostResource(managed).addTo(api);
    new LimitResource(managed).addTo(api);
    new GlobalParameterResource(managed).addTo(api);
    new DefinitionsResource(managed).addTo(api);
    new ConnectionResource(managed).addTo(api);
    new ConsumerResource(managed).addTo(api);
    new ExchangeResource(managed).addTo(api);
    new QueueResource(managed).addTo(api);
    new BindingResource(managed).addTo(api);
    new PolicyResource(managed).addTo(api);
    new ParameterResource(managed).addTo(api);
    new MessageResource(managed, settings.protocol().maxMessageSize()).addTo(api);
    // A page of a console would be loaded by this; there is none.
    api.get("extensions", request -> Response.ok(List.of()));
    api.get("feature-flags", request -> Response.ok(List.of()));
    api.post("rebalance/queues", request -> Response.noContent());
  }

  private static String text(InetSocketAddress address) {
    String host =
        address.isUnresolved() ? address.getHostString() : address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /** Where the API listens for users; empty if it does not. */
  public Optional<InetSocketAddress> address() {
    return Optional.ofNullable(open).map(HttpListener::address);
  }

  /** Takes no more requests, and removes the control file. */
  @Override
  public void close() {
    sampler.close();
    if (controlFile != null) {
      try {
        controlFile.remove();
      } catch (IOException e) {
        LOGGER.warn("cannot remove the control file: {}", e.toString());
      }
    }
    if (open != null) {
      open.close();
    }
    if (local != null) {
      local.close();
    }
    threads.shutdownNow();
  }
}
