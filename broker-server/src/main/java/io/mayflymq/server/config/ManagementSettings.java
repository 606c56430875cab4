package io.mayflymq.server.config;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;

/**
 * The management HTTP API.
 *
 * @param host the address where it listens
 * @param port the port where it listens; empty if it does not, 0 lets the system choose
 * @param tlsHost the address where it listens for clients that speak TLS
 * @param tlsPort the port for them; empty if there is none, 0 lets the system choose
 * @param tls what that needs
 * @param statisticsIntervalMillis the time between two samples of the statistics
 * @param maxConnections that may be open at the same time
 * @param maxKeepalive requests on one connection
 * @param requestTimeoutMillis for the headers of a request
 * @param idleTimeoutMillis between two requests
 * @param inactivityTimeoutMillis for which a client may take nothing of an answer
 * @param maxBodySize of a request, in bytes
 * @param pathPrefix what all paths begin with; empty, or begins with a slash and does not end with
 *     one
 * @param allowedHosts names in {@code Host}, beside localhost and addresses, in requests of users
 *     who may connect from this machine only, and of the control listener
 */
public record ManagementSettings(
    String host,
    Optional<Integer> port,
    String tlsHost,
    Optional<Integer> tlsPort,
    TlsSettings tls,
    int statisticsIntervalMillis,
    int maxConnections,
    int maxKeepalive,
    int requestTimeoutMillis,
    int idleTimeoutMillis,
    int inactivityTimeoutMillis,
    int maxBodySize,
    String pathPrefix,
    Set<String> allowedHosts) {
  /** Returns where it listens for users; empty if it does not. */
  public Optional<InetSocketAddress> address() {
    return port.map(number -> new InetSocketAddress(host, number));
  }

  /** Returns where it listens for users who speak TLS; empty if it does not. */
  public Optional<InetSocketAddress> tlsAddress() {
    return tlsPort.map(number -> new InetSocketAddress(tlsHost, number));
  }
}
