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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes a cluster, and answers the queries about it of our dashboard and of
 * RabbitMQ's. Skipped as {@link RealPrometheusIT} is.
 */
class ReplicaDashboardIT {
  /** The row of the dashboard about clusters. */
  static final String ROW = "Cluster and replicas";

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
          String name = clusterName(prometheus);
          prometheus.awaitData(
              DashboardQuery.ofRaft().stream()
                  .map(query -> query.with("rabbitmq_cluster", name))
                  .toList());
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

  private static String clusterName(PrometheusProcess prometheus) throws Exception {
    return prometheus
        .query("rabbitmq_identity_info")
        .get(0)
        .get("metric")
        .get("rabbitmq_cluster")
        .asText();
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
