package io.mayflymq.server.config;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The metrics for Prometheus.
 *
 * @param host the address where they are served
 * @param port the port where they are served; empty if they are not, 0 lets the system choose
 * @param tlsHost the address where they are served to clients that speak TLS
 * @param tlsPort the port for them; empty if there is none, 0 lets the system choose
 * @param tls what that needs
 * @param path the path of the aggregated metrics; begins with a slash and does not end with one
 * @param perObject whether this path has the metrics of each object instead
 * @param waits whether it is measured how long messages wait in queues
 * @param authentication whether only users may read them who may monitor the broker
 */
public record PrometheusSettings(
    String host,
    Optional<Integer> port,
    String tlsHost,
    Optional<Integer> tlsPort,
    TlsSettings tls,
    String path,
    boolean perObject,
    boolean waits,
    boolean authentication) {
  /** Returns where they are served; empty if they are not. */
  public Optional<InetSocketAddress> address() {
    return port.map(number -> new InetSocketAddress(host, number));
  }

  /** Returns where they are served to clients that speak TLS; empty if they are not. */
  public Optional<InetSocketAddress> tlsAddress() {
    return tlsPort.map(number -> new InetSocketAddress(tlsHost, number));
  }
}
