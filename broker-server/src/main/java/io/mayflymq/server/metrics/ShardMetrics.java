package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.metrics.histogram.ShardHistograms;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What shards measure. They are not asked: any thread may read it. */
record ShardMetrics(List<Shard> shards) {
  /** Returns those of these shards. */
  static ShardMetrics of(Shards shards) {
    return new ShardMetrics(IntStream.range(0, shards.count()).mapToObj(shards::get).toList());
  }

  /** Returns what RabbitMQ has too. */
  Stream<MetricFamily> global(Labels protocol) {
    return Stream.of(
        Distribution.histogram(
            "rabbitmq_message_size_bytes",
            "Body sizes of messages that were published.",
            protocol,
            sum(ShardHistograms::messageSizes)));
  }

  /** Returns what RabbitMQ does not have. */
  Stream<MetricFamily> own() {
    return Stream.of(
        Distribution.histogram(
            "mayfly_expiry_lateness_seconds",
            "Time between the deadline of a message and its expiry.",
            Labels.EMPTY,
            sum(ShardHistograms::expiryLateness)),
        Distribution.histogram(
            "mayfly_dead_letter_arrival_seconds",
            "Time between the death of a message and the arrival of its dead letter in a queue.",
            Labels.EMPTY,
            sum(ShardHistograms::deadLetterDelays)),
        Distribution.histogram(
            "mayfly_event_loop_burst_seconds",
            "Time that an event loop has worked without a pause.",
            shards.stream()
                .map(shard -> new Distribution(labels(shard), shard.histograms().bursts().read()))
                .toList()),
        Value.gauge(
            "mayfly_event_loop_backlog_tasks",
            "Tasks that wait for an event loop.",
            shards.stream().map(shard -> new Value(labels(shard), shard.backlog())).toList()));
  }

  private Histogram.Reading sum(Function<ShardHistograms, Histogram> part) {
    return Histogram.sum(shards.stream().map(Shard::histograms).map(part).toList());
  }

  private static Labels labels(Shard shard) {
    return Labels.of("shard", Integer.toString(shard.index()));
  }
}
