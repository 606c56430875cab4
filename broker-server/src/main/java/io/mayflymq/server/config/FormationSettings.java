package io.mayflymq.server.config;

import java.util.List;
import java.util.Optional;

/**
 * How a node without data finds its cluster ({@code cluster_formation.*}).
 *
 * @param nodes the nodes that are to form it, with their addresses; for the backends {@code
 *     classic_config} and {@code k8s}
 * @param dnsHostname a host name with an address for each node; for the backend {@code dns}, and
 *     empty for the other ones
 * @param seed the name of the node that begins the cluster; empty for the first one by name
 * @param targetSize how many nodes the cluster is to have, 1 or more; empty for as many as are
 *     named
 * @param retryLimit how often it looks for them, 1 or more; empty if it does not give up
 * @param retryIntervalMillis the time in between, in ms
 */
public record FormationSettings(
    List<NodeAddress> nodes,
    Optional<String> dnsHostname,
    Optional<String> seed,
    Optional<Integer> targetSize,
    Optional<Integer> retryLimit,
    int retryIntervalMillis) {
  /** Copies the list. */
  public FormationSettings {
    nodes = List.copyOf(nodes);
  }

  /** Returns whether other nodes are named in any way. */
  public boolean namesNodes() {
    return !nodes.isEmpty() || dnsHostname.isPresent();
  }
}
