package io.mayflymq.server.metrics;

import io.mayflymq.core.vhost.Cluster;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.Optional;

/** What a node knows of its cluster. */
final class ClusterMetrics {
  private ClusterMetrics() {}

  /**
   * Returns how many nodes cannot be reached: none of a broker that is alone.
   *
   * @param cluster null if it is alone
   */
  public static MetricFamily unreachable(Optional<Cluster> cluster) {
    return untyped(
        "rabbitmq_unreachable_cluster_peers_count",
        "Nodes of the cluster that this one cannot reach.",
        Labels.EMPTY,
        cluster.stream()
            .flatMap(member -> member.nodes().stream())
            .filter(peer -> !peer.isReachable())
            .count());
  }

  /** RabbitMQ's names of these are not those that Prometheus expects of counters and gauges. */
  private static MetricFamily untyped(String name, String help, Labels labels, long value) {
    return MetricFamily.of(
        "", Metric.untyped(name, help, Value::value), List.of(new Value(labels, value)));
  }
}
