package io.mayflymq.server.metrics;

import io.mayflymq.server.management.json.MemoryBreakdown;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the memory of the process is used for: what the HTTP API tells, under other names. */
final class MemoryMetrics {
  /**
   * RabbitMQ's name in the metrics, and in the API.
   *
   * @param name without its beginning and its end
   */
  private record Part(String name, String key) {}

  private static final List<Part> PARTS =
      List.of(
          new Part("code_module", "code"),
          new Part("client_connection_reader", "connection_readers"),
          new Part("client_connection_writer", "connection_writers"),
          new Part("client_connection_channel", "connection_channels"),
          new Part("client_connection_other", "connection_other"),
          new Part("classic_queue_erlang_process", "queue_procs"),
          new Part("quorum_queue_erlang_process", "quorum_queue_procs"),
          new Part("quorum_queue_dlx_erlang_process", "quorum_queue_dlx_procs"),
          new Part("stream_erlang_process", "stream_queue_procs"),
          new Part("stream_replica_reader_erlang_process", "stream_queue_replica_reader_procs"),
          new Part("stream_coordinator_erlang_process", "stream_queue_coordinator_procs"),
          new Part("plugin", "plugins"),
          new Part("modern_metadata_store", "metadata_store"),
          new Part("other_erlang_process", "other_proc"),
          new Part("metrics", "metrics"),
          new Part("management_stats_db", "mgmt_db"),
          new Part("classic_metadata_store", "mnesia"),
          new Part("quorum_queue_ets_table", "quorum_ets"),
          new Part("modern_metadata_store_ets_table", "metadata_store_ets"),
          new Part("other_ets_table", "other_ets"),
          new Part("binary_heap", "binary"),
          new Part("message_index", "msg_index"),
          new Part("atom_table", "atom"),
          new Part("other_system", "other_system"),
          new Part("runtime_allocated_unused", "allocated_unused"),
          new Part("runtime_reserved_unallocated", "reserved_unallocated"));

  private MemoryMetrics() {}

  /**
   * Returns the families.
   *
   * @param connections what is held for connections, in bytes
   * @param queues about what messages take, in bytes
   */
  static Stream<MetricFamily> families(long connections, long queues) {
    Map<String, Object> parts = MemoryBreakdown.of(connections, queues);
    return PARTS.stream()
        .map(
            part ->
                Value.gauge(
                    "rabbitmq_memory_%s_bytes".formatted(part.name),
                    "Memory that the HTTP API calls %s.".formatted(part.key),
                    ((Number) parts.get(part.key)).doubleValue()));
  }
}
