package io.mayflymq.server.metrics;

import io.mayflymq.server.alarm.ClientMemory;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.stream.Stream;

/** The memory that is held for clients. */
final class ClientMemoryMetrics {
  private static final Metric<ConnectionStats> OF_CONNECTION =
      Metric.gauge(
          "connection_memory_bytes",
          "Memory of a connection: channels, consumers, what is not finished, and output.",
          ConnectionStats::memory);

  private ClientMemoryMetrics() {}

  /** Returns what all clients hold. */
  static Stream<MetricFamily> sums(ClientMemory memory) {
    return Stream.of(
        Value.gauge(
            "mayfly_client_memory_bytes",
            "Memory of all clients: channels, consumers, and what is not finished.",
            (double) memory.total()),
        Value.gauge(
            "mayfly_client_memory_limit_bytes",
            "Above so much of it clients that hold the most give up.",
            (double) memory.limit()),
        Value.counter(
            "mayfly_client_memory_given_up_total",
            "Channels and connections that were closed to free such memory.",
            (double) memory.givenUpCount()));
  }

  /** Returns what the clients of each virtual host hold, and those of each connection. */
  static Stream<MetricFamily> objects(ClientMemory memory, List<ConnectionStats> connections) {
    List<Value> vhosts =
        memory.byVhost().entrySet().stream()
            .map(vhost -> new Value(Labels.of("vhost", vhost.getKey()), vhost.getValue()))
            .toList();
    return Stream.of(
        Value.gauge(
            "mayfly_vhost_memory_bytes",
            "Memory of a virtual host's clients: channels, consumers, what is not finished, output.",
            vhosts),
        MetricFamily.of("mayfly_", OF_CONNECTION, connections));
  }
}
