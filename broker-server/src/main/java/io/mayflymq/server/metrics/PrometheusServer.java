package io.mayflymq.server.metrics;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.server.config.settings.PrometheusSettings;
import io.mayflymq.server.http.HttpLimits;
import io.mayflymq.server.http.HttpServer;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the metrics of a running broker to Prometheus. */
public final class PrometheusServer implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(PrometheusServer.class);

  /** Answers that clients have not taken hold at most this part of the heap. */
  private static final int PART_OF_HEAP = 16;

  /** Null if metrics are served nowhere. */
  private final HttpServer server;

  private PrometheusServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Starts to listen, unless the settings have no port.
   *
   * @param broker whose metrics are served
   * @param threads makes its threads
   * @throws IOException if it cannot listen; the message says where and why
   */
  public static PrometheusServer start(
      PrometheusSettings settings, MeasuredBroker broker, BrokerThreads threads)
      throws IOException {
    if (settings.address().isEmpty()) {
      return new PrometheusServer(null);
    }
    HttpServer server =
        new HttpServer(
            "prometheus",
            limits(),
            new MetricsService(settings, new Scraper(broker), threads.faults()),
            threads);
    InetSocketAddress wanted = settings.address().get();
    try {
      InetSocketAddress address = server.listen(wanted, null);
      server.start();
      LOGGER.info("listening for Prometheus on {}", NetUtil.toSocketAddressString(address));
      return new PrometheusServer(server);
    } catch (IOException e) {
      server.close();
      throw new IOException(
          "cannot listen for Prometheus on %s: %s"
              .formatted(NetUtil.toSocketAddressString(wanted), e.getMessage()),
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
        Runtime.getRuntime().maxMemory() / PART_OF_HEAP,
        32, // waiting requests
        2, // workers
        8, // requests that wait for the broker
        10_000, // ms for headers
        300_000, // ms between requests: longer than between two scrapes
        60_000); // ms without progress
  }

  /** Accepts no more requests. */
  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
  }
}
