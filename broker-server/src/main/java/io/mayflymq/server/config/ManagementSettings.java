package io.mayflymq.server.config;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The management HTTP API.
 *
 * @param host the address where it listens
 * @param port the port where it listens; empty if it does not, 0 lets the system choose
 * @param statisticsIntervalMillis the time between two samples of the statistics
 */
public record ManagementSettings(
    String host, Optional<Integer> port, int statisticsIntervalMillis) {
  /** Where it listens for users; empty if it does not. */
  public Optional<InetSocketAddress> address() {
    return port.map(number -> new InetSocketAddress(host, number));
  }
}
