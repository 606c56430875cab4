package io.mayflymq.server.cluster.membership;

import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.server.cluster.transport.Admission;
import io.mayflymq.server.cluster.transport.NodeAddresses;
import io.mayflymq.server.cluster.transport.NodeIdentity;
import io.mayflymq.server.config.NodeAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The nodes that are known by metadata, and those found while a cluster forms. Any thread.
 *
 * <p>A data directory makes a node what it is: one that comes back with another directory has lost
 * what it had, among it how it has voted, so it cannot be let back in as the one it was. It has to
 * be forgotten first, and joins as a new node then.
 */
public final class KnownNodes implements Admission, NodeAddresses {
  private static final String FORGOTTEN = "was forgotten by this cluster";

  private volatile Supplier<Collection<ClusterMember>> members;
  private final Map<String, InetSocketAddress> found = new ConcurrentHashMap<>();

  /**
   * @param members all that are or were members; none as long as this node is not one
   */
  public KnownNodes(Supplier<Collection<ClusterMember>> members) {
    this.members = members;
  }

  /**
   * From now on these are the members.
   *
   * @param known returns all that are or were members
   */
  public void follow(Supplier<Collection<ClusterMember>> known) {
    members = known;
  }

  /** Notes where a node was found that may be no member yet. */
  void found(String name, InetSocketAddress address) {
    found.put(name, address);
  }

  /** Says that the membership of a node has ended. */
  public static String end(String node) {
    return "node '%s' %s".formatted(node, FORGOTTEN);
  }

  /** Returns whether a node was refused since its membership has ended. */
  public static boolean tellsOfEnd(String refusal) {
    return refusal.contains(FORGOTTEN);
  }

  /**
   * A cluster is known by the data directory of the node that it began with. One that has gone on
   * without a majority is another one than that of the nodes that were given up, should they run.
   */
  @Override
  public Optional<String> clusterId() {
    Collection<ClusterMember> known = members.get();
    Optional<UUID> first =
        known.stream()
            .filter(member -> member.number() == 0)
            .map(ClusterMember::directory)
            .findFirst();
    String lost =
        known.stream()
            .filter(ClusterMember::isLost)
            .map(member -> member.directory().toString())
            .sorted()
            .collect(Collectors.joining(" "));
    return first.map(
        directory ->
            lost.isEmpty()
                ? directory.toString()
                : UUID.nameUUIDFromBytes((directory + " " + lost).getBytes(StandardCharsets.UTF_8))
                    .toString());
  }

  @Override
  public Optional<String> refusal(NodeIdentity node) {
    for (ClusterMember member : members.get()) {
      Optional<String> refusal = refusal(node.name(), node.dataDirectory(), member);
      if (refusal.isPresent()) {
        return refusal;
      }
    }
    Optional<String> cluster = clusterId();
    if (cluster.isEmpty() || node.clusterId().isEmpty() || node.clusterId().equals(cluster)) {
      return Optional.empty();
    }
    boolean wasOne =
        members.get().stream().anyMatch(member -> member.directory().equals(node.dataDirectory()));
    return Optional.of(
        "node '%s' is a member of another cluster%s"
            .formatted(
                node.name(),
                wasOne
                    ? ": it has gone on without some members of this one (forget_cluster_node"
                        + " --offline)"
                    : ""));
  }

  private static Optional<String> refusal(String name, UUID directory, ClusterMember member) {
    boolean isItsDirectory = member.directory().equals(directory);
    if (isItsDirectory && !member.isMember()) {
      return Optional.of("node '%s' %s: reset it to let it join again".formatted(name, FORGOTTEN));
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
