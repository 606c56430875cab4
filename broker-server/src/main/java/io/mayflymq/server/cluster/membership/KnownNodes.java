package io.mayflymq.server.cluster.membership;

import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.server.cluster.transport.NodeAddresses;
import io.mayflymq.server.cluster.transport.handshake.Admission;
import io.mayflymq.server.cluster.transport.handshake.NodeIdentity;
import io.mayflymq.server.config.type.NodeAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/*
 * Which nodes this one talks to, and where they are.
 *
 * A data directory makes a node what it is: one that comes back with another directory has lost what it had, among it how it has voted, so it cannot be
 * let back in as the one it was. It has to be forgotten first, and joins as a new node then.
 */
/** The nodes that are known by metadata, and those found while a cluster forms. Any thread. */
public final class KnownNodes implements Admission, NodeAddresses {
  private final Supplier<Collection<ClusterMember>> members;
  private final Map<String, InetSocketAddress> found = new ConcurrentHashMap<>();

  /**
   * @param members all that are or were members; none as long as this node is not one
   */
  public KnownNodes(Supplier<Collection<ClusterMember>> members) {
    this.members = members;
  }

  /** Notes where a node was found that may be no member yet. */
  void found(String name, InetSocketAddress address) {
    found.put(name, address);
  }

  /** A cluster is known by the data directory of the node that it began with. */
  @Override
  public Optional<String> clusterId() {
    return members.get().stream()
        .filter(member -> member.number() == 0)
        .map(member -> member.directory().toString())
        .findFirst();
  }

  @Override
  public Optional<String> refusal(NodeIdentity node) {
    Optional<String> cluster = clusterId();
    if (cluster.isPresent() && node.clusterId().isPresent() && !node.clusterId().equals(cluster)) {
      return Optional.of("node '%s' is a member of another cluster".formatted(node.name()));
    }
    for (ClusterMember member : members.get()) {
      Optional<String> refusal = refusal(node.name(), node.dataDirectory(), member);
      if (refusal.isPresent()) {
        return refusal;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> refusal(String name, UUID directory, ClusterMember member) {
    boolean isItsDirectory = member.directory().equals(directory);
    if (isItsDirectory && !member.isMember()) {
      return Optional.of(
          "node '%s' was forgotten by this cluster: reset it to let it join again".formatted(name));
    }
    if (isItsDirectory && !member.name().equals(name)) {
      return Optional.of(
          "node '%s' has the data of node '%s': a node cannot be renamed"
              .formatted(name, member.name()));
    }
    if (!isItsDirectory && member.isMember() && member.name().equals(name)) {
      return Optional.of(
          ("node '%s' is a member with other data: if these are lost, forget the member first"
                  + " (mayflyctl forget_cluster_node %s), then it can join as a new one")
              .formatted(name, name));
    }
    return Optional.empty();
  }

  @Override
  public Optional<InetSocketAddress> of(String node) {
    return members.get().stream()
        .filter(member -> member.isMember() && member.name().equals(node))
        .map(member -> NodeAddress.of(node, member.address()))
        .map(at -> InetSocketAddress.createUnresolved(at.host(), at.port()))
        .findFirst()
        .or(() -> Optional.ofNullable(found.get(node)));
  }
}
