package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.store.StoreStats;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** What the message logs of all partitions use and have done. */
final class StoreMetrics {
  /** RabbitMQ's name of the family of what the disk does. */
  static final String PERSISTER = "node_persister_metrics";

  private static final String LOG = "log";

  /** The stores of all partitions. */
  private record Stores(List<StoreStats> parts) implements Metric.Labelled {
    @Override
    public Labels labels() {
      return Labels.EMPTY;
    }

    double sum(ToLongFunction<StoreStats> part) {
      return (double) parts.stream().mapToLong(part).sum();
    }

    double forcedSeconds() {
      return parts.stream()
          .mapToDouble(store -> store.forcedWrites().sum() + store.forcedStreamWrites().sum())
          .sum();
    }
  }

  private static final List<Metric<Stores>> PERSISTER_METRICS =
      List.of(
          Metric.counter(
              "io_write_bytes_total",
              "Bytes written to message logs and streams.",
              stores -> stores.sum(StoreStats::writtenBytes)),
          Metric.counter(
              "msg_store_write_total",
              "Messages written to message logs and streams.",
              stores -> stores.sum(StoreStats::storedMessages)),
          Metric.counter(
              "io_sync_ops_total",
              "Forced writes of message logs and streams.",
              stores ->
                  stores.sum(
                      store -> store.forcedWrites().count() + store.forcedStreamWrites().count())),
          Metric.counter(
              "io_sync_time_seconds_total",
              "Time of forced writes of message logs and streams.",
              Stores::forcedSeconds));

  /** What RabbitMQ 4.3 does not count any more, and shows as 0. */
  private static final List<Metric<Stores>> NOT_COUNTED =
      Stream.of(
              "io_read_ops",
              "io_read_bytes",
              "io_read_time_seconds",
              "io_write_ops",
              "io_write_time_seconds",
              "io_seek_ops",
              "io_seek_time_seconds",
              "io_reopen_ops",
              "msg_store_read",
              "queue_index_read_ops",
              "queue_index_write_ops",
              "schema_db_ram_tx",
              "schema_db_disk_tx")
          .map(
              name ->
                  Metric.<Stores>counter(
                      name + "_total", "Always 0, as in RabbitMQ 4.3.", stores -> 0))
          .toList();

  /** Returns what RabbitMQ has too. */
  static Stream<MetricFamily> persister(String prefix, List<StoreStats> stores) {
    List<Stores> all = List.of(new Stores(stores));
    return Stream.concat(
        MetricFamily.all(prefix, PERSISTER_METRICS, all),
        MetricFamily.all(prefix, NOT_COUNTED, all));
  }

  /** The logs of one kind. */
  private record Logs(Labels labels, List<StoreStats.Log> parts) implements Metric.Labelled {
    double sum(ToLongFunction<StoreStats.Log> part) {
      return parts.stream().mapToLong(part).sum();
    }

    Value live() {
      return new Value(state("live"), sum(StoreStats.Log::liveBytes));
    }

    Value dead() {
      return new Value(state("dead"), sum(log -> Math.max(0, log.bytes() - log.liveBytes())));
    }

    private Labels state(String state) {
      return labels.merge(Labels.of("state", state));
    }
  }

  private static final List<Metric<Logs>> METRICS =
      List.of(
          Metric.gauge(
              "log_segments",
              "Files of the message logs.",
              logs -> logs.sum(StoreStats.Log::segments)),
          Metric.counter(
              "log_compacted_segments_total",
              "Files of the message logs that were compacted.",
              logs -> logs.sum(StoreStats.Log::compactedSegments)),
          Metric.counter(
              "log_compaction_copied_bytes_total",
              "Bytes that compaction has copied within the message logs.",
              logs -> logs.sum(StoreStats.Log::copiedBytes)));

  private StoreMetrics() {}

  /**
   * Returns the families.
   *
   * @param stores what all partitions have
   */
  static Stream<MetricFamily> of(List<StoreStats> stores) {
    List<Logs> logs =
        List.of(
            logs("messages", stores, StoreStats::messages),
            logs("paged", stores, StoreStats::paged));
    return Stream.concat(
        Stream.of(
            Value.gauge(
                "mayfly_log_bytes",
                "Size of the message logs: of messages that are needed, and of what is not.",
                Stream.concat(
                        logs.stream().flatMap(each -> Stream.of(each.live(), each.dead())),
                        Stream.of(streams(stores)))
                    .toList()),
            Value.gauge(
                "mayfly_log_pending_bytes",
                "Bytes that wait to be written to the message logs.",
                (double) stores.stream().mapToLong(StoreStats::pendingBytes).sum()),
            Distribution.histogram(
                "mayfly_forced_write_seconds",
                "Time that the disk took to make written data safe.",
                List.of(
                    forced("messages", stores, StoreStats::forcedWrites),
                    forced("streams", stores, StoreStats::forcedStreamWrites)))),
        MetricFamily.all("mayfly_", METRICS, logs));
  }

  /** All that a stream keeps is needed. */
  private static Value streams(List<StoreStats> stores) {
    return new Value(
        Labels.of(LOG, "streams", "state", "live"),
        (double) stores.stream().mapToLong(StoreStats::streamBytes).sum());
  }

  private static Logs logs(
      String name, List<StoreStats> stores, Function<StoreStats, StoreStats.Log> part) {
    return new Logs(Labels.of(LOG, name), stores.stream().map(part).toList());
  }

  private static Distribution forced(
      String name, List<StoreStats> stores, Function<StoreStats, Histogram.Reading> part) {
    return new Distribution(
        Labels.of(LOG, name), Histogram.Reading.sum(stores.stream().map(part).toList()));
  }
}
