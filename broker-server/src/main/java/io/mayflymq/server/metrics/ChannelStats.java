package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.server.channel.ChannelView;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Channels: one, or all open ones for the sums.
 *
 * @param labels its identifier; none for the sums
 */
record ChannelStats(Labels labels, List<ChannelView> views) implements Metric.Labelled {
  /** What a channel has. */
  static final List<Metric<ChannelStats>> METRICS =
      List.of(
          gauge("channel_consumers", "Consumers of channels.", ChannelView::consumers),
          gauge(
              "channel_messages_unacked",
              "Messages that were delivered and are not acknowledged.",
              ChannelView::unacked),
          gauge(
              "channel_messages_unconfirmed",
              "Messages that were published and are not confirmed.",
              ChannelView::unconfirmed),
          gauge(
              "channel_messages_uncommitted",
              "Messages that wait for the commit of a transaction.",
              ChannelView::uncommitted),
          gauge(
              "channel_acks_uncommitted",
              "Acknowledgements that wait for the commit of a transaction.",
              ChannelView::uncommittedAcks),
          gauge(
              "consumer_prefetch",
              "Prefetch limit of the next consumer of a channel.",
              ChannelView::prefetch),
          gauge(
              "channel_prefetch",
              "Prefetch limit of all consumers of a channel together.",
              ChannelView::globalPrefetch));

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

  private static Metric<ChannelStats> gauge(
      String name, String help, ToIntFunction<ChannelView> value) {
    return Metric.gauge(
        name, help, channels -> channels.views.stream().mapToLong(value::applyAsInt).sum());
  }
}
