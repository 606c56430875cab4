package io.mayflymq.server.cluster.membership;

import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeIdentity;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.config.FormationSettings;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.net.StartException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the cluster of a node without data. Used by one thread.
 *
 * <p>It asks the nodes that it is told of, itself among them, who they are. One that is a member of
 * a cluster lets it join. If none is, the seed, which is the node whose name is first unless the
 * configuration says another one, may begin a cluster, once a majority of all nodes has agreed, and
 * a node agrees to one node only as long as its process runs. Two majorities have a node in common,
 * so two nodes that start at once never begin two clusters, whatever each of them sees of the
 * network. A seed that was emptied does not begin a second cluster either, as a majority has a
 * member of the first one.
 */
final class JoinDiscovery {
  private static final Logger LOGGER = LoggerFactory.getLogger(JoinDiscovery.class);
  private static final long CALL_MILLIS = 10_000;

  /**
   * How often it looks for the node that it was told to join, if it is to look for ever for all.
   */
  private static final int JOIN_ATTEMPTS = 30;

  private final FormationSettings settings;
  private final PeerDiscovery discovery;
  private final NodeTransport transport;
  private final KnownNodes nodes;
  private final Candidate self;

  /** What was logged: each obstacle once, as they repeat. */
  private final Set<String> obstacles = new HashSet<>();

  private String lastObstacle = "";

  /**
   * @param self this node
   */
  JoinDiscovery(
      FormationSettings settings,
      PeerDiscovery discovery,
      NodeTransport transport,
      KnownNodes nodes,
      Candidate self) {
    this.settings = settings;
    this.discovery = discovery;
    this.transport = transport;
    this.nodes = nodes;
    this.self = self;
  }

  /**
   * Finds the cluster.
   *
   * @return the name of a member that has let this node in; empty if this node is to begin the
   *     cluster
   * @throws StartException if it is not found in time, or refuses this node
   */
  Optional<String> find() throws StartException {
    Optional<Integer> limit = settings.retryLimit();
    for (int attempt = 0; limit.isEmpty() || attempt < limit.get(); attempt++) {
      List<NodeIdentity> found = identify();
      Optional<String> joined = joined(found);
      if (joined.isPresent() || mayBegin(found)) {
        return joined;
      }
      pause();
    }
    throw notFound(limit.orElseThrow());
  }

  private Optional<String> joined(List<NodeIdentity> found) throws StartException {
    for (NodeIdentity node : found) {
      if (node.clusterId().isPresent() && !isSelf(node) && join(node.name())) {
        return Optional.of(node.name());
      }
    }
    return Optional.empty();
  }

  private StartException notFound(int attempts) {
    return new StartException(
        "no cluster was found in %d attempts: %s".formatted(attempts, lastObstacle));
  }

  /**
   * Joins the cluster of a node.
   *
   * @return the name of the node
   * @throws StartException if the node is not found in time, is another one, or refuses this one
   */
  String join(NodeAddress seed) throws StartException {
    int limit = settings.retryLimit().orElse(JOIN_ATTEMPTS);
    for (int attempt = 0; attempt < limit; attempt++) {
      List<NodeIdentity> found = identify();
      for (NodeIdentity node : found) {
        if (!node.name().equals(seed.name())) {
          throw new StartException(
              "the node at %s is '%s': expected '%s', as join_cluster was told"
                  .formatted(seed.address(), node.name(), seed.name()));
        }
        if (node.clusterId().isEmpty()) {
          obstacle("node '%s' is no member of a cluster".formatted(node.name()));
        }
      }
      Optional<String> joined = joined(found);
      if (joined.isPresent()) {
        return joined.get();
      }
      pause();
    }
    throw notFound(limit);
  }

  private boolean isSelf(NodeIdentity node) {
    return node.dataDirectory().equals(self.directory());
  }

  private List<NodeIdentity> identify() throws StartException {
    List<InetSocketAddress> addresses;
    try {
      addresses = discovery.addresses();
    } catch (UnknownHostException e) {
      obstacle("no address is known of host '%s'".formatted(e.getMessage()));
      return List.of();
    }
    TreeMap<String, NodeIdentity> found = new TreeMap<>();
    List<CompletableFuture<NodeIdentity>> asked =
        addresses.stream().map(transport::identify).toList();
    for (int i = 0; i < asked.size(); i++) {
      try {
        NodeIdentity node = asked.get(i).join();
        nodes.found(node.name(), addresses.get(i));
        requireOwnName(node);
        found.put(node.name(), node);
      } catch (CompletionException e) {
        obstacle(e.getCause().getMessage());
      }
    }
    return List.copyOf(found.values());
  }

  private void requireOwnName(NodeIdentity node) throws StartException {
    if (node.name().equals(self.name()) && !isSelf(node)) {
      throw new StartException(
          "another node has the name of this one, '%s': expected node_name to be its own"
              .formatted(self.name()),
          null);
    }
  }

  /** Returns whether this node has the agreement of a majority to begin the cluster. */
  private boolean mayBegin(List<NodeIdentity> found) throws StartException {
    TreeSet<String> names = new TreeSet<>();
    settings.nodes().forEach(node -> names.add(node.name()));
    if (names.isEmpty()) {
      found.forEach(node -> names.add(node.name()));
    }
    int size = Math.max(settings.targetSize().orElse(0), Math.max(names.size(), found.size()));
    boolean isListed = names.contains(self.name());
    if (!isListed && !settings.nodes().isEmpty()) {
      throw new StartException(
          "this node, '%s', is not among the nodes that are to form the cluster: %s"
              .formatted(self.name(), String.join(", ", names)),
          null);
    }
    if (names.isEmpty()) {
      obstacle("no node was found");
      return false;
    }
    String seed = settings.seed().orElseGet(names::first);
    if (!isListed || !seed.equals(self.name())) {
      obstacle("the cluster is to begin with node '%s'".formatted(seed));
      return false;
    }
    long agreed = found.stream().filter(this::agrees).count();
    if (2 * agreed <= size) {
      obstacle("%d of %d nodes agree that this one begins the cluster".formatted(agreed, size));
      return false;
    }
    return true;
  }

  private boolean agrees(NodeIdentity node) {
    return isGranted(node.name(), MemberRequest.Kind.BEGIN);
  }

  private void obstacle(String why) {
    lastObstacle = why;
    if (obstacles.add(why)) {
      LOGGER.info("looking for the cluster: {}", why);
    }
  }

  private void pause() throws StartException {
    try {
      TimeUnit.MILLISECONDS.sleep(settings.retryIntervalMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while looking for the cluster", e);
    }
  }

  private boolean join(String member) throws StartException {
    if (self.hasData()) {
      throw new StartException(
          ("this node has data of its own and cannot join the cluster of node '%s': expected an"
                  + " empty data directory, as mayflyctl reset makes it")
              .formatted(member),
          null);
    }
    return isGranted(member, MemberRequest.Kind.JOIN);
  }

  private boolean isGranted(String node, MemberRequest.Kind kind) {
    try {
      transport.call(node, CallService.MEMBERSHIP, self.asksTo(kind), CALL_MILLIS).join();
      return true;
    } catch (CompletionException e) {
      obstacle(e.getCause().getMessage());
      return false;
    }
  }
}
