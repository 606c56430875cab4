package io.mayflymq.server.metrics;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.PrometheusSettings;
import io.mayflymq.server.http.HttpLimits;
import io.mayflymq.server.http.HttpServer;
import io.mayflymq.server.tls.ReloadingTls;
import io.mayflymq.server.tls.TlsException;
import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the metrics of a running broker to Prometheus. */
public final class PrometheusServer implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(PrometheusServer.class);

  /**
   * What connections hold of answers that clients have not taken is at most this part of the heap.
   */
  private static final int PART_FOR_CONNECTIONS = 16;

  /** Null if metrics are served nowhere. */
  private final HttpServer server;

  /** Removes the listener for changes of the configuration. */
  private Runnable forget = () -> {};

  /** Null if metrics are served nowhere. */
  private final PeriodicWork renderer;

  private PrometheusServer(HttpServer server, PeriodicWork renderer) {
    this.server = server;
    this.renderer = renderer;
  }

  /**
   * Starts to listen, unless the settings have no port.
   *
   * @param broker whose metrics are served
   * @param threads makes its threads
   * @throws IOException if it cannot listen; the message says where and why
   */
  public static PrometheusServer start(
      LiveConfiguration configuration, MeasuredBroker broker, BrokerThreads threads)
      throws IOException {
    PrometheusSettings settings = configuration.settings().prometheus();
    if (settings.address().isEmpty() && settings.tlsAddress().isEmpty()) {
      return new PrometheusServer(null, null);
    }
    MetricsAccess access =
        settings.authentication()
            ? MetricsAccess.ofMonitors(
                broker.environment().logins(), broker.environment().accessControl())
            : MetricsAccess.OPEN;
    PeriodicWork renderer = threads.periodic("prometheus-renderer");
    PrometheusServer server =
        new PrometheusServer(
            new HttpServer(
                "prometheus",
                limits(),
                new MetricsService(
                    settings,
                    access,
                    new Scraper(broker),
                    task -> renderer.soon("reading metrics", task),
                    threads.faults()),
                threads),
            renderer);
    try {
      server.listen(configuration);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void listen(LiveConfiguration configuration) throws IOException {
    PrometheusSettings settings = configuration.settings().prometheus();
    if (settings.address().isPresent()) {
      listen("Prometheus", "prometheus.tcp.port", settings.address().get(), null);
    }
    if (settings.tlsAddress().isPresent()) {
      try {
        ReloadingTls tls = ReloadingTls.load(() -> configuration.settings().prometheus().tls());
        forget = configuration.onChange(changed -> tls.look());
        listen(
            "Prometheus with TLS",
            "prometheus.ssl.port",
            settings.tlsAddress().get(),
            tls::encrypt);
      } catch (TlsException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
    server.start();
  }

  private void listen(
      String protocol, String key, InetSocketAddress wanted, Consumer<Channel> encryption)
      throws IOException {
    try {
      InetSocketAddress address = server.listen(wanted, encryption);
      LOGGER.info("listening for {} on {}", protocol, NetUtil.toSocketAddressString(address));
    } catch (IOException e) {
      throw new IOException(
          "cannot listen for %s on %s (key %s): %s"
              .formatted(protocol, NetUtil.toSocketAddressString(wanted), key, e.getMessage()),
          e);
    }
  }

  private static HttpLimits limits() {
    return new HttpLimits(
        64, // connections
        1_000, // requests on a connection
        8 * 1024, // bytes of the request line
        16 * 1024, // bytes of headers
        64 * 1024, // bytes of bodies, which no request has
        Runtime.getRuntime().maxMemory() / PART_FOR_CONNECTIONS,
        32, // waiting requests
        2, // workers
        8, // requests that wait for the broker
        10_000, // ms for headers
        300_000, // ms between requests: longer than between two scrapes
        10_000); // ms without progress: Prometheus waits as long for all of it
  }

  /** Accepts no more requests. */
  @Override
  public void close() {
    forget.run();
    if (server != null) {
      server.close();
      renderer.close();
    }
  }
}
