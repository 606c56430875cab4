package io.mayflymq.server.metrics;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.metrics.PartitionCounts;
import io.mayflymq.core.metrics.PartitionCounts.LetGo;
import io.mayflymq.core.metrics.PartitionCounts.Strategy;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.vhost.partition.Partition;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Deaths by the type of the queue and by what it does with dead messages, and other ends. */
record DeathMetrics(List<Partition> partitions) {
  /** Nothing dies in a stream. */
  private static final List<QueueType> TYPES = List.of(QueueType.CLASSIC, QueueType.QUORUM);

  /** Returns what RabbitMQ has too. It does not know the other reasons. */
  Stream<MetricFamily> global() {
    return Stream.of(
        died(DeathReason.MAXLEN, "Messages that died at a length limit."),
        died(DeathReason.EXPIRED, "Messages that died at the end of their time to live."),
        died(DeathReason.REJECTED, "Messages that died as consumers rejected them."),
        died(
            DeathReason.DELIVERY_LIMIT,
            "Messages that died as they were returned more often than is allowed."),
        Value.counter(
            "rabbitmq_global_messages_dead_lettered_confirmed_total",
            "Dead letters that other queues have confirmed.",
            TYPES.stream()
                .map(
                    type ->
                        new Value(
                            labels(type, Strategy.AT_LEAST_ONCE),
                            sum(counts -> counts.arrivals(type))))
                .toList()));
  }

  /** Returns what RabbitMQ does not have. */
  Stream<MetricFamily> own() {
    return Stream.of(
        Value.counter(
            "mayfly_queue_leases_ended_total",
            "Queues that were not used for too long.",
            sum(PartitionCounts::leasesEnded)),
        letGo(
            "mayfly_recoverable_messages_let_go_total",
            "Messages that could be brought back and were let go before their time was over.",
            PartitionCounts::letGo),
        letGo(
            "mayfly_recoverable_bytes_let_go_total",
            "What these have counted: their bodies, and 100 bytes for each.",
            PartitionCounts::letGoBytes));
  }

  private MetricFamily letGo(
      String name, String help, ToLongBiFunction<PartitionCounts, LetGo> count) {
    return Value.counter(
        name,
        help,
        Arrays.stream(LetGo.values())
            .map(
                cause ->
                    new Value(
                        Labels.of("cause", cause.wireName()),
                        sum(counts -> count.applyAsLong(counts, cause))))
            .toList());
  }

  private MetricFamily died(DeathReason reason, String help) {
    return Value.counter(
        "rabbitmq_global_messages_dead_lettered_" + reason.wireName() + "_total",
        help,
        TYPES.stream()
            .flatMap(
                type ->
                    Arrays.stream(Strategy.values())
                        .map(
                            strategy ->
                                new Value(
                                    labels(type, strategy),
                                    sum(counts -> counts.deaths(type, strategy, reason)))))
            .toList());
  }

  private double sum(ToLongFunction<PartitionCounts> count) {
    return (double) partitions.stream().map(Partition::counts).mapToLong(count).sum();
  }

  private static Labels labels(QueueType type, Strategy strategy) {
    return Labels.of("queue_type", type.module(), "dead_letter_strategy", strategy.wireName());
  }
}
