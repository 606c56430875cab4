package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes a cluster, and answers the queries about it of our dashboard and of
 * RabbitMQ's. Skipped as {@link RealPrometheusIT} is.
 */
class ReplicaDashboardIT {
  /** The row of the dashboard about clusters. */
  static final String ROW = "Cluster and replicas";

  /** What RabbitMQ's dashboard RabbitMQ-Quorum-Queues-Raft reads, for RabbitMQ 3.13. */
  private static final List<DashboardQuery> RAFT =
      Stream.of(
              "sum(rate(rabbitmq_raft_log_commit_index[60s]) * ID) by(rabbitmq_node)",
              "rabbitmq_raft_entry_commit_latency_seconds * ID",
              "sum((rabbitmq_raft_log_last_written_index * ID) - (rabbitmq_raft_log_commit_index *"
                  + " ID)) by(rabbitmq_node)",
              "sum(rate(rabbitmq_raft_term_total[60s]) * ID) by(rabbitmq_node)")
          .map(
              text ->
                  text.replace(
                      "ID",
                      "on(instance) group_left(rabbitmq_cluster, rabbitmq_node)"
                          + " rabbitmq_identity_info{namespace=\"\"}"))
          .map(text -> new DashboardQuery("Raft", text))
          .toList();

  private static final int NODES = 3;
  private static final int SCRAPES = 3;

  @TempDir Path directory;

  private volatile boolean isDone;

  @Test
  void queriesAboutTheClusterFindDataAndNoAlertIsRaised() throws Exception {
    PrometheusTools.requireInstalled();
    List<Integer> ports = IntStream.range(0, NODES).mapToObj(node -> Broker.freePort()).toList();
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster
          .set("prometheus.tcp.ip", "127.0.0.1")
          .setEach("prometheus.tcp.port", ports::get)
          .startAll();
      Channel channel = cluster.channel(0);
      channel.queueDeclare("q", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.confirmSelect();
      try (PrometheusProcess prometheus = PrometheusProcess.start(directory, ports)) {
        Thread publisher = new Thread(() -> publish(channel), "publisher");
        publisher.start();
        try {
          prometheus.awaitScrapes(SCRAPES);
          prometheus.awaitData(
              DashboardQuery.ofOwnByRow().get(ROW).stream()
                  .map(query -> query.with("instance", "127.0.0.1:.*"))
                  .toList());
          prometheus.awaitData(RAFT);
          assertThat(prometheus.firingAlerts())
              .extracting(alert -> alert.get("labels").get("alertname").asText())
              .doesNotContain(
                  "MayflyMQNodeUnreachable",
                  "MayflyMQPartitionWithoutLeader",
                  "MayflyMQReplicaNotInSync",
                  "MayflyMQReplicaClosed");
        } finally {
          isDone = true;
          publisher.join();
        }
      }
    }
  }

  /** The time of commits has data while there are some. */
  private void publish(Channel channel) {
    try {
      while (!isDone) {
        channel.basicPublish("", "q", MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[1]);
        channel.waitForConfirmsOrDie(Patience.MILLIS);
      }
    } catch (Exception e) {
      throw new IllegalStateException("the load has failed", e);
    }
  }
}
