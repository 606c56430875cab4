package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.management.json.ChannelFields;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/**
 * Channels: one, or all open ones for the sums.
 *
 * @param labels its identifier; none for the sums
 */
record ChannelStats(Labels labels, List<ChannelView> views) implements Metric.Labelled {
  /** What a channel has. */
  static final List<Metric<ChannelStats>> METRICS =
      ChannelFields.gauges().stream()
          .map(
              gauge ->
                  Metric.<ChannelStats>gauge(
                      gauge.name(),
                      gauge.help(),
                      channels -> channels.views.stream().mapToLong(gauge.value()).sum()))
          .toList();

  /** RabbitMQ's name of the family of what the process of a channel does. */
  static final String PROCESS = "channel_process_metrics";

  /** What RabbitMQ counts of the process of a channel. There is none here. */
  static final List<Metric<ChannelStats>> PROCESS_METRICS =
      List.of(
          Metric.counter(
              "channel_process_reductions_total",
              "Always 0: a channel is no process.",
              channel -> 0));

  /** Returns the figures of one channel. */
  static ChannelStats of(ChannelView view) {
    return new ChannelStats(Labels.of("channel", view.identity().pid()), List.of(view));
  }

  /** Returns the sums. */
  static ChannelStats sum(List<ChannelView> views) {
    return new ChannelStats(Labels.EMPTY, views);
  }

  /** Returns how many have published. */
  long publishers() {
    return views.stream().filter(view -> view.counters().get(Counter.PUBLISHED) > 0).count();
  }
}
