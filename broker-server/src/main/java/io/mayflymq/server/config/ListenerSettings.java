package io.mayflymq.server.config;

import java.net.InetSocketAddress;

/**
 * A listener ({@code listeners.tcp.NAME}).
 *
 * @param name the operator's name for it
 * @param host an address or a host name; empty for all addresses of the machine
 * @param port from 0 to 65535, where 0 lets the system choose
 */
public record ListenerSettings(String name, String host, int port) {
  /**
   * Returns the address to bind; a host name is resolved now, and the address is unresolved if that
   * fails.
   */
  public InetSocketAddress address() {
    return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  /** Returns the address as an operator would write it, such as {@code [::1]:5672}. */
  @Override
  public String toString() {
    return host.isEmpty()
        ? "port " + port
        : (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
