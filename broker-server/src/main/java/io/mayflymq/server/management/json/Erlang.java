package io.mayflymq.server.management.json;

import java.util.List;
import java.util.Map;

/**
 * What RabbitMQ's management tells of Erlang's processes and files. There are none here, so all is
 * 0; strict clients insist on the keys.
 *
 * <p>Source: the answers of RabbitMQ 4.3.6.
 */
public final class Erlang {
  /** The rate of a number that does not change. */
  static final Map<String, Object> NO_RATE = Map.of("rate", 0.0);

  /** How a process collects its garbage. */
  static final Map<String, Object> GARBAGE_COLLECTION =
      Map.of(
          "fullsweep_after", 0,
          "max_heap_size", 0,
          "min_bin_vheap_size", 0,
          "min_heap_size", 0,
          "minor_gcs", 0);

  /** Numbers of files, of transactions, and of the runtime. */
  private static final List<String> OF_NODE =
      List.of(
          "context_switches",
          "gc_bytes_reclaimed",
          "io_read_avg_time",
          "io_read_bytes",
          "io_read_count",
          "io_reopen_count",
          "io_seek_avg_time",
          "io_seek_count",
          "io_sync_avg_time",
          "io_sync_count",
          "io_write_avg_time",
          "io_write_bytes",
          "io_write_count",
          "mnesia_disk_tx_count",
          "mnesia_ram_tx_count",
          "msg_store_read_count",
          "msg_store_write_count",
          "queue_index_read_count",
          "queue_index_write_count");

  /** Numbers that every node has. */
  private static final List<String> OTHERS_OF_NODE =
      List.of("disk_free", "fd_used", "gc_num", "mem_used", "proc_used", "sockets_used");

  private static final Map<String, Object> QUEUES_OF_COLLECTORS =
      Map.of(
          "connection_closed", 0,
          "channel_closed", 0,
          "consumer_deleted", 0,
          "exchange_deleted", 0,
          "queue_deleted", 0,
          "vhost_deleted", 0,
          "node_node_deleted", 0,
          "channel_consumer_deleted", 0);

  private Erlang() {}

  /** Adds the work of a process. */
  static void putReductions(Map<String, Object> object) {
    object.put("reductions", 0);
    object.put("reductions_details", NO_RATE);
  }

  /** Adds how a process collects its garbage. */
  static void putGarbageCollection(Map<String, Object> object) {
    object.put("garbage_collection", GARBAGE_COLLECTION);
  }

  /** Adds the numbers of a node that mean nothing here, and the rates of its others: not kept. */
  public static void putOfNode(Map<String, Object> object) {
    OF_NODE.forEach(name -> object.putIfAbsent(name, 0));
    OF_NODE.forEach(name -> object.put(name + "_details", NO_RATE));
    OTHERS_OF_NODE.forEach(name -> object.put(name + "_details", NO_RATE));
    object.put("metrics_gc_queue_length", QUEUES_OF_COLLECTORS);
    object.put("net_ticktime", 0);
    object.put("ra_open_file_metrics", Map.of("ra_log_wal", 0, "ra_log_segment_writer", 0));
  }
}
