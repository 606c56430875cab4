package io.mayflymq.server.config;

/**
 * A node, and where other nodes reach it.
 *
 * @param name such as {@code mayfly@host}
 * @param host a host name or an address
 * @param port 1 to 65535
 */
public record NodeAddress(String name, String host, int port) {
  /** The usual port of cluster listeners. */
  public static final int DEFAULT_PORT = 25_672;

  /** Returns host and port, such as {@code host:25672}. */
  public String address() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  /** Returns the node of this name at an address as {@link #address} makes them. */
  public static NodeAddress of(String name, String address) {
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, colon);
    return new NodeAddress(
        name,
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        Integer.parseInt(address.substring(colon + 1)));
  }
}
