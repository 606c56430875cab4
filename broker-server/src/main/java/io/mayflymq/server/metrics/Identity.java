package io.mayflymq.server.metrics;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.connection.ClusterName;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.stream.Stream;

/** The identity of the broker, which the queries of dashboards join with all other metrics. */
final class Identity {
  private Identity() {}

  /** Returns the families, of which every endpoint has one sample each. */
  static Stream<MetricFamily> families(
      Scrape.Endpoint endpoint, Dialect dialect, GlobalParameters parameters) {
    return Stream.of(
        Value.info(
            "rabbitmq_build_info",
            "Versions of the broker.",
            Labels.of(
                "rabbitmq_version",
                dialect.version(),
                "prometheus_plugin_version",
                BuildInfo.version(),
                "prometheus_client_version",
                "prometheus-metrics",
                "erlang_version",
                "Java " + Runtime.version(),
                "product_name",
                BuildInfo.PRODUCT,
                "product_version",
                BuildInfo.version())),
        Value.info(
            "rabbitmq_identity_info",
            "Names of the node and of the cluster.",
            Labels.of(
                "rabbitmq_node", NodeName.value(),
                "rabbitmq_cluster", ClusterName.of(parameters),
                "rabbitmq_cluster_permanent_id", ClusterName.id(parameters),
                "rabbitmq_endpoint", endpoint.label())));
  }
}
