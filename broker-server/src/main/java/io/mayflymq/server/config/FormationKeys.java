package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.nodeAddress;
import static io.mayflymq.server.config.ValueTypes.nodeName;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The keys {@code cluster_formation.*}, by which a node without data finds the others.
 *
 * <p>Source of the names, and of the rules of the backend {@code k8s}: RabbitMQ 4.3, "Cluster
 * Formation and Peer Discovery", and the schema of its plugin.
 */
record FormationKeys(
    Setting<String> backend,
    KeyFamily<NodeAddress> nodes,
    Setting<Optional<String>> dnsHostname,
    Setting<Integer> ordinalStart,
    Setting<Optional<String>> seedNode,
    Setting<Optional<Integer>> targetSize,
    Setting<Optional<Integer>> retryLimit,
    Setting<Integer> retryInterval) {
  private static final String PREFIX = "cluster_formation.";
  private static final String RABBITMQ_PREFIX = "rabbit_peer_discovery_";
  private static final String CLASSIC_CONFIG = "classic_config";
  private static final String DNS = "dns";
  private static final String K8S = "k8s";
  private static final String KUBERNETES = "kubernetes";
  private static final int MOST_NODES = 1_000;

  static FormationKeys of(Section section) {
    return new FormationKeys(
        section.add(
            Setting.of(
                PREFIX + "peer_discovery_backend",
                word(
                    CLASSIC_CONFIG,
                    DNS,
                    K8S,
                    KUBERNETES,
                    RABBITMQ_PREFIX + CLASSIC_CONFIG,
                    RABBITMQ_PREFIX + DNS,
                    RABBITMQ_PREFIX + K8S),
                CLASSIC_CONFIG,
                "How a node without data finds the others: by the list of nodes below, by DNS, or"
                    + " by the names of the [pods of a StatefulSet](kubernetes.md)"
                    + " (`k8s` or `kubernetes`).")),
        section.add(
            new KeyFamily<>(
                PREFIX + "classic_config.nodes.",
                "$n",
                nodeAddress(),
                Map.of(),
                "A node that is to form the cluster; the same list on all nodes.")),
        section.add(
            Setting.of(
                PREFIX + "dns.hostname",
                orWord("none", text()),
                "none",
                "A host name with one address for each node, whose listeners have the port of"
                    + " this node's.")),
        section.add(
            Setting.of(
                PREFIX + "k8s.ordinal_start",
                wholeNumber("", 0, 1_000_000),
                "0",
                "The ordinal of the first pod of the StatefulSet. The cluster begins with the node"
                    + " of this pod.")),
        section.add(
            Setting.of(
                PREFIX + "k8s.seed_node",
                orWord("none", nodeName()),
                "none",
                "The node with which the cluster begins, if it is another one.")),
        section.add(
            Setting.of(
                PREFIX + "target_cluster_size_hint",
                orWord("auto", wholeNumber("nodes", 1, MOST_NODES)),
                "auto",
                "How many nodes the cluster is to have; `auto` for as many as are found by name.")),
        section.add(
            Setting.of(
                PREFIX + "discovery_retry_limit",
                orWord("unlimited", wholeNumber("attempts", 1, 1_000_000)),
                "30",
                "How often a node looks for the others before it gives up. With `k8s` it looks for"
                    + " ever.")),
        section.add(
            Setting.of(
                PREFIX + "discovery_retry_interval",
                wholeNumber("milliseconds", 10, 3_600_000),
                "1000",
                "The time between these attempts.")));
  }

  /**
   * Returns how a node finds its cluster.
   *
   * @param self the name of the node
   * @param listener its listener for other nodes; empty if it is alone. Nodes that are found by
   *     name have the same port
   * @throws ConfigException if the backend lacks what it needs
   */
  FormationSettings settings(SettingValues values, String self, Optional<ListenerSettings> listener)
      throws ConfigException {
    List<NodeAddress> named = List.of();
    Optional<String> hostname = Optional.empty();
    Optional<String> seed = Optional.empty();
    Optional<Integer> attempts = values.get(retryLimit);
    switch (values.get(backend).replace(RABBITMQ_PREFIX, "")) {
      case DNS -> hostname = Optional.of(hostname(values));
      case K8S, KUBERNETES -> {
        if (listener.isPresent()) {
          PodName pod = podName(self);
          seed =
              Optional.of(values.get(seedNode).orElse(pod.withOrdinal(values.get(ordinalStart))));
          named = pods(values, pod, seed.get(), listener.get().port());
        }
        attempts = Optional.empty();
      }
      default -> named = List.copyOf(values.inOrder(nodes));
    }
    return new FormationSettings(
        named, hostname, seed, values.get(targetSize), attempts, values.get(retryInterval));
  }

  private String hostname(SettingValues values) throws ConfigException {
    Optional<String> hostname = values.get(dnsHostname);
    if (hostname.isEmpty()) {
      throw new ConfigException("%s = dns needs %s".formatted(backend.name(), dnsHostname.name()));
    }
    return hostname.get();
  }

  private PodName podName(String self) throws ConfigException {
    Optional<PodName> pod = PodName.of(self);
    if (pod.isEmpty()) {
      throw new ConfigException(
          ("%s = k8s: node_name is '%s': expected the name of a pod of a StatefulSet with its"
                  + " ordinal, such as rabbit@mq-server-0.mq-nodes.namespace")
              .formatted(backend.name(), self));
    }
    return pod.get();
  }

  /** Returns the pods up to the target size, and at least up to this one; and the seed. */
  private List<NodeAddress> pods(SettingValues values, PodName self, String seed, int port)
      throws ConfigException {
    int start = values.get(ordinalStart);
    int size = Math.max(values.get(targetSize).orElse(1), self.ordinal() - start + 1);
    if (self.ordinal() < start || size > MOST_NODES) {
      throw new ConfigException(
          "%s = %d: the ordinal of this node, '%s', is %d: expected one from %d to %d"
              .formatted(
                  ordinalStart.name(),
                  start,
                  self.withOrdinal(self.ordinal()),
                  self.ordinal(),
                  start,
                  start + MOST_NODES - 1));
    }
    return Stream.concat(
            IntStream.range(start, start + size).mapToObj(self::withOrdinal), Stream.of(seed))
        .distinct()
        .map(name -> new NodeAddress(name, name.substring(name.indexOf('@') + 1), port))
        .toList();
  }

  /** Returns warnings for the operator about keys without effect, a line each. */
  List<String> warnings(SettingValues values) {
    boolean forEver = values.get(backend).endsWith(K8S) || values.get(backend).equals(KUBERNETES);
    return forEver && values.sets(retryLimit)
        ? List.of(
            "%s has no effect with %s = %s: a node looks for ever"
                .formatted(retryLimit.name(), backend.name(), values.get(backend)))
        : List.of();
  }
}
