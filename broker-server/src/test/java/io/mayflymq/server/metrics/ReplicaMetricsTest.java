package io.mayflymq.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.partition.ReplicaSnapshot;
import io.mayflymq.cluster.partition.ReplicaStats;
import io.mayflymq.core.metrics.histogram.Buckets;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.vhost.ReplicaState;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReplicaMetricsTest {
  private static final Histogram COMMITS = new Histogram(Buckets.nanos(1_000_000));

  /** Leads partition 1 with two followers, one of them in sync. */
  private static final ReplicaSnapshot LED =
      new ReplicaSnapshot(
          1,
          new ReplicaStats(
              1,
              new ReplicaState(
                  7,
                  20,
                  19,
                  18,
                  Set.of(0, 1),
                  true,
                  true,
                  List.of(
                      new ReplicaState.Follower(1, 1, 100, 5),
                      new ReplicaState.Follower(2, 9, 900, -1))),
              12,
              3,
              250,
              2_000_000,
              COMMITS.read()));

  private static final ReplicaSnapshot CLOSED = new ReplicaSnapshot(2, null);

  private static List<String> own(ReplicaSnapshot... replicas) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Exposition exposition =
        new Exposition(
            PrometheusTextFormatWriter.create(),
            Stream.concat(
                ReplicaMetrics.raft("rabbitmq_", List.of(replicas)),
                ReplicaMetrics.own(List.of(replicas), node -> "node" + node)));
    while (exposition.appendTo(out)) {
      // the next piece
    }
    return out.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  @Test
  void leaderTellsOfItsFollowers() throws IOException {
    assertThat(own(LED))
        .contains(
            "rabbitmq_raft_term_total{partition=\"1\",ra_system=\"quorum_queues\"} 7.0",
            "rabbitmq_raft_log_last_written_index{partition=\"1\",ra_system=\"quorum_queues\"} 19.0",
            "mayfly_partition_replica_closed{partition=\"1\"} 0",
            "mayfly_partition_leads{partition=\"1\"} 1",
            "mayfly_partition_time_ahead_seconds{partition=\"1\"} 0.25",
            "mayfly_partition_replicas{partition=\"1\"} 3",
            "mayfly_partition_replicas_in_sync{partition=\"1\"} 2",
            "mayfly_follower_behind_bytes{node=\"node2\",partition=\"1\"} 900",
            "mayfly_follower_answer_age_seconds{node=\"node1\",partition=\"1\"} 0.005",
            "mayfly_commit_seconds_count 0")
        .as("a follower that has not answered yet has no age of its answer")
        .noneMatch(line -> line.contains("answer_age") && line.contains("node2"));
  }

  /** Nothing else is known of a replica that is closed. */
  @Test
  void closedReplicaIsShownAsThat() throws IOException {
    assertThat(own(CLOSED)).containsExactly("mayfly_partition_replica_closed{partition=\"2\"} 1");
    assertThat(own(LED, CLOSED))
        .contains(
            "mayfly_partition_replica_closed{partition=\"1\"} 0",
            "mayfly_partition_replica_closed{partition=\"2\"} 1",
            "mayfly_partition_leads{partition=\"1\"} 1")
        .doesNotContain("mayfly_partition_leads{partition=\"2\"} 0");
  }
}
