package io.mayflymq.server.cluster.membership;

import io.mayflymq.server.config.FormationSettings;
import io.mayflymq.server.config.NodeAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Where a node without data looks for the others. */
@FunctionalInterface
interface PeerDiscovery {
  /**
   * Returns the addresses at which nodes are expected, this one perhaps among them. May block.
   *
   * @throws UnknownHostException if they cannot be found out now
   */
  List<InetSocketAddress> addresses() throws UnknownHostException;

  /**
   * Returns the discovery that the configuration asks for.
   *
   * @param port the port of the nodes that DNS has; the same on all
   */
  static PeerDiscovery of(FormationSettings settings, int port) {
    if (settings.dnsHostname().isPresent()) {
      String hostname = settings.dnsHostname().get();
      return () ->
          Arrays.stream(InetAddress.getAllByName(hostname))
              .map(address -> new InetSocketAddress(address, port))
              .toList();
    }
    List<InetSocketAddress> listed =
        settings.nodes().stream().map(PeerDiscovery::unresolved).toList();
    return () -> listed;
  }

  /** Returns the discovery of one node. */
  static PeerDiscovery of(NodeAddress node) {
    return () -> List.of(unresolved(node));
  }

  private static InetSocketAddress unresolved(NodeAddress node) {
    return InetSocketAddress.createUnresolved(node.host(), node.port());
  }
}
