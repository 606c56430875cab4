package io.mayflymq.server.cluster.transport;

import java.net.InetSocketAddress;
import java.util.Optional;

/** Where nodes listen for other nodes. Any thread may call; must not block. */
@FunctionalInterface
public interface NodeAddresses {
  /**
   * Returns the address of a node; empty if none is known. An unresolved one is resolved at each
   * attempt to connect.
   *
   * @param node its name
   */
  Optional<InetSocketAddress> of(String node);
}
