package io.mayflymq.server.config.settings;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The metrics for Prometheus.
 *
 * @param host the address where they are served
 * @param port the port where they are served; empty if they are not, 0 lets the system choose
 * @param path the path of the aggregated metrics; begins with a slash and does not end with one
 * @param perObject whether this path has the metrics of each object instead
 */
public record PrometheusSettings(
    String host, Optional<Integer> port, String path, boolean perObject) {
  /** Returns where they are served; empty if they are not. */
  public Optional<InetSocketAddress> address() {
    return port.map(number -> new InetSocketAddress(host, number));
  }
}
