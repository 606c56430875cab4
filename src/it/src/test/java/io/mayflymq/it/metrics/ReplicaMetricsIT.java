package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.DOUBLE;
import static org.awaitility.Awaitility.await;

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

/** What nodes tell of replicated queues and of their replicas. */
class ReplicaMetricsIT {
  private static final int NODES = 3;
  private static final int MESSAGES = 5;

  @TempDir Path directory;

  private final List<Integer> ports =
      IntStream.range(0, NODES).mapToObj(node -> Broker.freePort()).toList();

  private ScrapedText scrape(int node) throws Exception {
    return ScrapedText.of(ports.get(node), "/metrics", "text/plain;version=0.0.4");
  }

  private double sum(String name, int... nodes) throws Exception {
    double sum = 0;
    for (int node : nodes) {
      sum += scrape(node).values(name, Map.of()).stream().mapToDouble(value -> value).sum();
    }
    return sum;
  }

  @Test
  void eachQueueIsCountedByItsLeaderAndEachReplicaByItsNode() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster
          .set("prometheus.tcp.ip", "127.0.0.1")
          .setEach("prometheus.tcp.port", ports::get)
          .asProcesses(0)
          .startAll();
      Channel channel = cluster.channel(0);
      channel.queueDeclare("q", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.confirmSelect();
      for (int i = 0; i < MESSAGES; i++) {
        channel.basicPublish("", "q", MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[1]);
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);

      assertThat(sum("rabbitmq_queues", 0, 1, 2)).isEqualTo(1);
      assertThat(sum("rabbitmq_queue_messages", 0, 1, 2)).isEqualTo(MESSAGES);
      assertThat(scrape(0).value("rabbitmq_queues")).isEqualTo(1);
      assertThat(scrape(0).value("mayfly_commit_seconds_count")).isPositive();
      assertThat(scrape(1).value("mayfly_commit_seconds_count")).isZero();
      ScrapedText leader = scrape(0);
      int partitions = leader.samples("mayfly_partition_leads").size();
      assertThat(sum("mayfly_partition_leads", 0)).isEqualTo(partitions);
      assertThat(sum("mayfly_partition_leads", 1, 2)).isZero();
      assertThat(leader.samples("mayfly_partition_time_ahead_seconds")).hasSize(partitions);
      assertThat(leader.values("mayfly_partition_replicas", Map.of()))
          .hasSize(partitions)
          .containsOnly((double) NODES);
      assertThat(leader.values("mayfly_partition_replicas_in_sync", Map.of()))
          .hasSize(partitions)
          .containsOnly((double) NODES);
      assertThat(leader.samples("mayfly_follower_answer_age_seconds")).hasSize(2 * partitions);
      double committed = sum("rabbitmq_raft_log_commit_index", 0);
      assertThat(committed).isGreaterThan(partitions);
      assertThat(sum("rabbitmq_raft_log_last_written_index", 0)).isEqualTo(committed);
      Map<String, String> queue = Map.of("queue", "q", "vhost", "/");
      ScrapedText objects =
          ScrapedText.of(ports.get(0), "/metrics/per-object", "text/plain;version=0.0.4");
      assertThat(objects.values("rabbitmq_raft_commit_index", queue))
          .as("what the partition of the queue has")
          .singleElement(DOUBLE)
          .isBetween(1.0, committed);
      assertThat(objects.values("rabbitmq_raft_snapshot_index", queue))
          .as("how far the log has lost what is not needed")
          .singleElement(DOUBLE)
          .isBetween(0.0, committed);
      assertThat(objects.values("rabbitmq_raft_term", queue))
          .hasSameElementsAs(objects.values("rabbitmq_raft_term_total", Map.of()));
      assertThat(objects.values("rabbitmq_raft_term", Map.of("ra_system", "coordination")))
          .hasSize(1);
      assertThat(
              ScrapedText.of(
                      ports.get(0),
                      "/metrics/detailed?family=ra_metrics&vhost=%2F&queue=other",
                      "text/plain;version=0.0.4")
                  .samples("rabbitmq_detailed_raft_term"))
          .isEmpty();
      for (int node = 1; node < NODES; node++) {
        int follower = node;
        await()
            .atMost(Patience.TIME)
            .untilAsserted(
                () ->
                    assertThat(scrape(follower).values("mayfly_partition_replica_closed", Map.of()))
                        .hasSize(partitions)
                        .containsOnly(0.0));
        await()
            .atMost(Patience.TIME)
            .until(() -> sum("rabbitmq_raft_log_commit_index", follower) == committed);
      }
      await().atMost(Patience.TIME).until(() -> sum("mayfly_follower_behind_bursts", 0) == 0);

      cluster.kill(0);
      await().atMost(Patience.TIME).until(() -> sum("rabbitmq_queue_messages", 1, 2) == MESSAGES);
      assertThat(sum("rabbitmq_queues", 1, 2)).isEqualTo(1);
      await().atMost(Patience.TIME).until(() -> sum("mayfly_partition_leads", 1, 2) == partitions);
      assertThat(scrape(1).values("rabbitmq_raft_term_total", Map.of()))
          .allMatch(epoch -> epoch > 1);
    }
  }
}
