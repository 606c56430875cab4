package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a node without data finds its cluster. */
class FormationKeysTest {
  private static final String LISTENER = "cluster.listener=25672";

  private static Configuration configuration(String... sets) throws ConfigException {
    return Configuration.load(
        Optional.empty(),
        Map.of(),
        Stream.concat(Stream.of("cluster.secret=s", LISTENER), Stream.of(sets)).toList());
  }

  private static FormationSettings pod(String nodeName, String... sets) throws ConfigException {
    String[] all =
        Stream.concat(
                Stream.of("cluster_formation.peer_discovery_backend=k8s", "node_name=" + nodeName),
                Stream.of(sets))
            .toArray(String[]::new);
    return configuration(all).settings().cluster().formation();
  }

  private static List<String> names(FormationSettings formation) {
    return formation.nodes().stream().map(NodeAddress::name).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"k8s", "kubernetes", "rabbit_peer_discovery_k8s"})
  void podsOfAStatefulSetKnowOneAnotherByTheirNames(String backend) throws Exception {
    FormationSettings formation =
        configuration(
                "cluster_formation.peer_discovery_backend=" + backend,
                "cluster_formation.target_cluster_size_hint=3",
                "cluster.listener=127.0.0.1:25600",
                "node_name=rabbit@mq-server-1.mq-nodes.shop")
            .settings()
            .cluster()
            .formation();
    assertThat(formation.nodes())
        .containsExactly(
            new NodeAddress(
                "rabbit@mq-server-0.mq-nodes.shop", "mq-server-0.mq-nodes.shop", 25_600),
            new NodeAddress(
                "rabbit@mq-server-1.mq-nodes.shop", "mq-server-1.mq-nodes.shop", 25_600),
            new NodeAddress(
                "rabbit@mq-server-2.mq-nodes.shop", "mq-server-2.mq-nodes.shop", 25_600));
    assertThat(formation.seed()).contains("rabbit@mq-server-0.mq-nodes.shop");
    assertThat(formation.retryLimit()).isEmpty();
  }

  @Test
  void aPodBeyondTheTargetSizeIsListedToo() throws Exception {
    assertThat(names(pod("r@a-2"))).containsExactly("r@a-0", "r@a-1", "r@a-2");
    assertThat(names(pod("r@a-3", "cluster_formation.target_cluster_size_hint=2"))).hasSize(4);
    assertThat(names(pod("r@a-0"))).containsExactly("r@a-0");
  }

  @Test
  void ordinalsMayBeginLaterAndTheClusterWithAnotherNode() throws Exception {
    FormationSettings later =
        pod(
            "r@a-9.s",
            "cluster_formation.k8s.ordinal_start=9",
            "cluster_formation.target_cluster_size_hint=2");
    assertThat(names(later)).containsExactly("r@a-9.s", "r@a-10.s");
    assertThat(later.seed()).contains("r@a-9.s");
    FormationSettings elsewhere = pod("r@b-1.s", "cluster_formation.k8s.seed_node=r@a-0.s");
    assertThat(names(elsewhere)).containsExactly("r@b-0.s", "r@b-1.s", "r@a-0.s");
    assertThat(elsewhere.seed()).contains("r@a-0.s");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"r@host", "r@host.domain-1", "r@host-", "r@host-1a.domain", "r@host-0123456789"})
  void aNameWithoutAnOrdinalIsRefused(String name) {
    assertThatThrownBy(() -> pod(name))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            ("cluster_formation.peer_discovery_backend = k8s: node_name is '%s': expected the name"
                    + " of a pod of a StatefulSet with its ordinal, such as"
                    + " rabbit@mq-server-0.mq-nodes.namespace")
                .formatted(name));
  }

  @ParameterizedTest
  @CsvSource({"2, 3, from 3 to 1002", "1000, 0, from 0 to 999"})
  void anOrdinalOutOfRangeIsRefused(int ordinal, int start, String expected) {
    assertThatThrownBy(() -> pod("r@a-" + ordinal, "cluster_formation.k8s.ordinal_start=" + start))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "cluster_formation.k8s.ordinal_start = %d: the ordinal of this node, 'r@a-%d', is %d: expected one %s"
                .formatted(start, ordinal, ordinal, expected));
  }

  @Test
  void aBrokerThatIsAloneNeedsNoOrdinal() throws Exception {
    FormationSettings formation =
        Configuration.load(
                Optional.empty(),
                Map.of(),
                List.of("cluster_formation.peer_discovery_backend=k8s", "node_name=r@host"))
            .settings()
            .cluster()
            .formation();
    assertThat(formation.namesNodes()).isFalse();
  }

  @Test
  void keysWithoutEffectOnPodsCauseWarnings() throws Exception {
    Configuration configuration =
        configuration(
            "cluster_formation.peer_discovery_backend=kubernetes",
            "cluster_formation.k8s.host=kubernetes.default",
            "cluster_formation.k8s.address_type=hostname",
            "cluster_formation.discovery_retry_limit=10",
            "node_name=r@a-0");
    String asksNothing =
        " has no effect: the names of the other nodes follow from that of this one, so the API"
            + " server of Kubernetes is not asked";
    assertThat(configuration.warnings())
        .containsExactly(
            "--set: key 'cluster_formation.k8s.host'" + asksNothing,
            "--set: key 'cluster_formation.k8s.address_type'" + asksNothing,
            "cluster_formation.discovery_retry_limit has no effect with"
                + " cluster_formation.peer_discovery_backend = kubernetes: a node looks for ever");
  }

  @Test
  void nodesThatAreListedAreLookedForAsOftenAsIsSaid() throws Exception {
    FormationSettings listed =
        configuration(
                "cluster_formation.classic_config.nodes.1=a@h",
                "cluster_formation.discovery_retry_limit=7")
            .settings()
            .cluster()
            .formation();
    assertThat(names(listed)).containsExactly("a@h");
    assertThat(listed.seed()).isEmpty();
    assertThat(listed.retryLimit()).contains(7);
    assertThat(
            configuration("cluster_formation.discovery_retry_limit=unlimited")
                .settings()
                .cluster()
                .formation()
                .retryLimit())
        .isEmpty();
  }

  @Test
  void namesByDnsNeedAHostname() throws Exception {
    assertThatThrownBy(() -> configuration("cluster_formation.peer_discovery_backend=dns"))
        .hasMessage(
            "cluster_formation.peer_discovery_backend = dns needs cluster_formation.dns.hostname");
    FormationSettings byDns =
        configuration(
                "cluster_formation.peer_discovery_backend=dns",
                "cluster_formation.dns.hostname=nodes",
                "cluster_formation.classic_config.nodes.1=a@h")
            .settings()
            .cluster()
            .formation();
    assertThat(byDns.nodes()).isEmpty();
    assertThat(byDns.dnsHostname()).contains("nodes");
  }
}
