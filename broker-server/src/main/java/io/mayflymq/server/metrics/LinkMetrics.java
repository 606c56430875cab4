package io.mayflymq.server.metrics;

import io.mayflymq.shovel.ShovelStatus;
import io.mayflymq.shovel.federation.LinkStatus;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Shovels and links of federation on this node, by what they do; none as long as there are none.
 *
 * <p>Source of the names: RabbitMQ 4.3.6, rabbitmq_shovel_prometheus and
 * rabbitmq_federation_prometheus.
 */
final class LinkMetrics {
  private LinkMetrics() {}

  /** Returns the families. */
  static Stream<MetricFamily> all(
      String prefix, List<ShovelStatus> shovels, List<LinkStatus> links) {
    return Stream.concat(
        shovels.isEmpty()
            ? Stream.empty()
            : Stream.of(
                byState(
                    prefix + "shovel_dynamic",
                    "Shovels that are parameters.",
                    ShovelStatus.State.values(),
                    ShovelStatus.State::wireName,
                    shovels.stream().map(ShovelStatus::state).toList())),
        links.isEmpty()
            ? Stream.empty()
            : Stream.of(
                byState(
                    prefix + "federation_links",
                    "Links of federation.",
                    LinkStatus.State.values(),
                    LinkStatus.State::wireName,
                    links.stream().map(LinkStatus::state).toList())));
  }

  private static <S> MetricFamily byState(
      String name, String help, S[] states, Function<S, String> wireName, List<S> found) {
    return Value.gauge(
        name,
        help,
        Arrays.stream(states)
            .map(
                state ->
                    new Value(
                        Labels.of("status", wireName.apply(state)),
                        found.stream().filter(state::equals).count()))
            .toList());
  }
}
