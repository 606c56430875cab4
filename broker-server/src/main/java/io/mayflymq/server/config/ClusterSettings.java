package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.listenAddress;
import static io.mayflymq.server.config.ValueTypes.nodeName;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The node as a member of a cluster.
 *
 * @param listener where other nodes reach it ({@code cluster.listener}); empty if it is alone
 * @param secret what all nodes know; empty if it is in the file
 * @param secretFile whose first line is the secret; empty if the secret is given
 * @param requiresStrongSecret whether a secret of less than 32 random bytes is refused
 * @param tls how nodes talk; without a certificate it is not encrypted
 * @param formation how it finds its cluster
 * @param initialGroupSize how many replicas a quorum queue begins with, if its declaration does not
 *     say it; 1 or more
 * @param reconciliation how quorum queues get further replicas by themselves
 * @param tags what operators say of the cluster and of the node
 */
public record ClusterSettings(
    Optional<ListenerSettings> listener,
    Optional<String> secret,
    Optional<Path> secretFile,
    boolean requiresStrongSecret,
    TlsSettings tls,
    FormationSettings formation,
    int initialGroupSize,
    ReconciliationSettings reconciliation,
    Tags tags) {
  static final Section SECTION = new Section("Cluster");

  static final Setting<Optional<String>> NODE_NAME =
      SECTION.add(
          Setting.of(
              "node_name",
              orWord("auto", nodeName()),
              "auto",
              "The name of this node; `auto` takes the name of the host."));
  private static final KeyFamily<String> CLUSTER_TAGS =
      SECTION.add(
          new KeyFamily<>(
              "cluster_tags.",
              "$name",
              text(),
              Map.of(),
              "What the cluster is to be known by, such as `cluster_tags.region = eu-1`: `GET"
                  + " /api/overview` shows it as `cluster_tags`."));
  private static final KeyFamily<String> NODE_TAGS =
      SECTION.add(
          new KeyFamily<>(
              "node_tags.",
              "$name",
              text(),
              Map.of(),
              "The same of this node: `node_tags.rack = a7`."));
  static final Setting<Optional<ListenAddress>> LISTENER =
      SECTION.add(
          Setting.of(
              "cluster.listener",
              orWord("none", listenAddress()),
              "none",
              "Where other nodes of the cluster connect; the usual port is 25672."));
  private static final Setting<Optional<String>> SECRET =
      SECTION.add(
          Setting.of(
              "cluster.secret",
              orWord("none", secretText()),
              "none",
              "What all nodes of the cluster know, and prove to one another: 32 random bytes,"
                  + " as `mayflyctl generate_secret` makes them."));
  private static final Setting<Optional<Path>> SECRET_FILE =
      SECTION.add(
          Setting.of(
              "cluster.secret_file",
              orWord("none", path()),
              "none",
              "A file whose first line is that secret."));
  private static final Setting<Boolean> STRONG_SECRET =
      SECTION.add(
          Setting.of(
              "cluster.require_strong_secret",
              bool(),
              "false",
              "Whether a secret that cannot hold 32 random bytes, by its length and"
                  + " characters, is refused, and not only [warned of](clustering.md#security)."));
  static final TlsKeys TLS = TlsKeys.of(SECTION, "cluster.ssl", "cluster.listener");
  private static final FormationKeys FORMATION = FormationKeys.of(SECTION);

  private static final Setting<Integer> INITIAL_GROUP_SIZE =
      SECTION.add(
          Setting.of(
              "quorum_queue.initial_cluster_size",
              wholeNumber("replicas", 1, 1_000),
              "3",
              "How many replicas a [quorum queue](quorum-queues.md#replicas) begins with, if"
                  + " `x-quorum-initial-group-size` does not say it; at most one on each node."));

  private static final String RECONCILIATION = "quorum_queue.continuous_membership_reconciliation.";
  private static final Setting<Boolean> RECONCILES =
      SECTION.add(
          Setting.of(
              RECONCILIATION + "enabled",
              bool(),
              "false",
              "Whether quorum queues with fewer replicas than their [target"
                  + " size](quorum-queues.md#target-sizes) get further ones by themselves."));
  private static final Setting<Optional<Integer>> TARGET_GROUP_SIZE =
      SECTION.add(
          Setting.of(
              RECONCILIATION + "target_group_size",
              orWord("none", wholeNumber("replicas", 1, 1_000)),
              "none",
              "The least target size of all quorum queues."));
  private static final Setting<Integer> RECONCILIATION_INTERVAL =
      SECTION.add(
          Setting.of(
              RECONCILIATION + "interval",
              wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
              "3600000",
              "How often it is looked whether a queue is to get a replica."));
  private static final Setting<Integer> RECONCILIATION_TRIGGER =
      SECTION.add(
          Setting.of(
              RECONCILIATION + "trigger_interval",
              wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
              "10000",
              "How long after a change of nodes, policies or queues it is looked."));

  /**
   * Returns the settings.
   *
   * @throws ConfigException if they make no sense together
   */
  static ClusterSettings of(SettingValues values) throws ConfigException {
    Optional<ListenerSettings> listener =
        values.get(LISTENER).map(at -> new ListenerSettings("cluster", at.host(), at.port()));
    Optional<String> secret = values.get(SECRET);
    Optional<Path> file = values.get(SECRET_FILE);
    if (listener.isPresent() && secret.isEmpty() == file.isEmpty()) {
      throw new ConfigException(
          List.of(
              "cluster.listener needs the secret of the cluster: expected either cluster.secret or"
                  + " cluster.secret_file"));
    }
    return new ClusterSettings(
        listener,
        secret,
        file,
        values.get(STRONG_SECRET),
        TLS.settings(values),
        FORMATION.settings(values, NodeName.of(values.get(NODE_NAME)), listener),
        values.get(INITIAL_GROUP_SIZE),
        new ReconciliationSettings(
            values.get(RECONCILES),
            values.get(TARGET_GROUP_SIZE).map(OptionalInt::of).orElseGet(OptionalInt::empty),
            values.get(RECONCILIATION_INTERVAL),
            values.get(RECONCILIATION_TRIGGER)),
        new Tags(values.members(CLUSTER_TAGS), values.members(NODE_TAGS)));
  }

  /** Returns warnings for the operator about keys without effect, a line each. */
  static List<String> warnings(SettingValues values) {
    return FORMATION.warnings(values);
  }

  @Override
  public String toString() {
    return "ClusterSettings[listener=%s, tls=%s, formation=%s, initialGroupSize=%d, %s]"
        .formatted(listener, tls, formation, initialGroupSize, reconciliation);
  }
}
