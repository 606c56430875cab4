package io.mayflymq.server.metrics;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What RabbitMQ does not have: metrics whose names begin with {@code mayfly_}. */
final class MayflyMetrics {
  private MayflyMetrics() {}

  /**
   * Returns what queues have counted.
   *
   * @param counts the sum of all queues
   */
  static Stream<MetricFamily> counters(Counts counts) {
    return Stream.of(
        Value.counter(
            "mayfly_messages_expired_total",
            "Messages whose time to live has ended.",
            (double) counts.get(Counter.EXPIRED)),
        Value.counter(
            "mayfly_messages_expired_by_deadline_total",
            "Messages that expired by the deadline of a header before they were delivered.",
            (double) counts.get(Counter.EXPIRED_BY_DEADLINE)),
        Value.counter(
            "mayfly_messages_died_total",
            "Messages that died, by reason.",
            Arrays.stream(DeathReason.values())
                .map(
                    reason ->
                        new Value(
                            Labels.of("reason", reason.wireName()),
                            (double) counts.get(Counter.of(reason))))
                .toList()),
        Value.counter(
            "mayfly_dead_messages_total",
            "Messages that died, by outcome.",
            Arrays.stream(DropOutcome.values())
                .map(
                    outcome ->
                        new Value(
                            Labels.of("outcome", outcome.wireName()),
                            (double) counts.get(Counter.of(outcome))))
                .toList()),
        Value.counter(
            "mayfly_messages_refused_total",
            "Messages that were refused at a length limit.",
            (double) counts.get(Counter.REFUSED)),
        Value.counter(
            "mayfly_messages_requeued_total",
            "Messages that were requeued.",
            (double) counts.get(Counter.REQUEUED)),
        Value.counter(
            "mayfly_lock_renewals_total",
            "Locks of deliveries that clients renewed.",
            (double) counts.get(Counter.LOCK_RENEWALS)),
        Value.counter(
            "mayfly_messages_purged_total",
            "Messages that were purged.",
            (double) counts.get(Counter.PURGED)),
        Value.counter(
            "mayfly_messages_moved_total",
            "Messages that operators moved to other queues.",
            (double) counts.get(Counter.MOVED)),
        Value.counter(
            "mayfly_messages_redriven_total",
            "Dead letters that were redriven.",
            (double) counts.get(Counter.REDRIVEN)));
  }

  /**
   * Returns how long messages waited in queues.
   *
   * @param waits of the queues of each virtual host; empty if it is not measured
   */
  static Stream<MetricFamily> waits(List<Histogram.Reading> waits) {
    return waits.isEmpty()
        ? Stream.empty()
        : Stream.of(
            Distribution.histogram(
                "mayfly_message_wait_seconds", WAITS, Labels.EMPTY, Histogram.Reading.sum(waits)));
  }

  /** Returns how long messages waited in each queue, as far as that is measured. */
  static Stream<MetricFamily> waitsByQueue(List<QueueStats> queues) {
    return queues.stream().flatMap(QueueStats::waits).findAny().isEmpty()
        ? Stream.empty()
        : Stream.of(
            Distribution.histograms(
                "mayfly_queue_message_wait_seconds", WAITS, queues, QueueStats::waits));
  }

  private static final String WAITS =
      "Time that messages had been in a queue when they were first delivered or got.";

  /**
   * Returns what queues have.
   *
   * @param queues the sum of all; none if it is not known
   */
  static Stream<MetricFamily> gauges(List<QueueStats> queues) {
    return MetricFamily.all("mayfly_", GAUGES, queues);
  }

  private static final List<Metric<QueueStats>> GAUGES =
      List.of(
          Metric.gauge(
              "messages_scheduled",
              "Messages that wait for their time.",
              queue -> queue.sizes().scheduled().ready()),
          Metric.gauge(
              "messages_delayed",
              "Messages that were returned and wait for their retry delay.",
              queue -> queue.sizes().totals().delayed()),
          Metric.gauge(
              "oldest_message_age_seconds",
              "For how long the oldest message of all queues has been in its queue.",
              QueueStats::oldestAge),
          Metric.gauge(
              "messages_unreadable",
              "Messages that cannot be read at the moment.",
              queue -> queue.sizes().totals().unreadable()),
          Metric.gauge(
              "dead_letters_waiting",
              "Dead letters that wait until another queue accepts them.",
              queue -> queue.sizes().waiting().messages()));
}
