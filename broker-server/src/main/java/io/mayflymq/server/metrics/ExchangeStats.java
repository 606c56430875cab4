package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.vhost.VirtualHost;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Stream;

/** Virtual hosts and exchanges. */
final class ExchangeStats {
  private ExchangeStats() {}

  /** Returns the counters of the exchanges of virtual hosts. */
  static List<ObjectTotals> counted(Scrape scrape, List<VirtualHost> vhosts) {
    if (!scrape.wants("exchange_metrics")) {
      return List.of();
    }
    return vhosts.stream()
        .filter(vhost -> scrape.wantsVhost(vhost.name()))
        .flatMap(
            vhost ->
                vhost.routing().exchanges().stream()
                    .flatMap(exchange -> counted(vhost, exchange.name())))
        .toList();
  }

  private static Stream<ObjectTotals> counted(VirtualHost vhost, String exchange) {
    Counts counts = vhost.metrics().exchanges().of(exchange);
    return counts == null
        ? Stream.empty()
        : Stream.of(
            new ObjectTotals(Labels.of("vhost", vhost.name(), "exchange", exchange), counts));
  }

  /**
   * Returns the families that RabbitMQ has of the cluster, as far as the scrape wants them; like
   * RabbitMQ's, without the default exchanges.
   */
  static Stream<MetricFamily> cluster(Scrape scrape, List<VirtualHost> all) {
    List<VirtualHost> vhosts =
        all.stream().filter(vhost -> scrape.wantsVhost(vhost.name())).toList();
    Stream.Builder<MetricFamily> families = Stream.builder();
    if (scrape.wants("vhost_status")) {
      families.add(
          Value.gauge(
              "rabbitmq_cluster_vhost_status",
              "1, as the virtual host is running.",
              vhosts.stream()
                  .map(vhost -> new Value(Labels.of("vhost", vhost.name()), 1))
                  .toList()));
    }
    if (scrape.wants("exchange_bindings")) {
      families.add(
          Value.gauge(
              "rabbitmq_cluster_exchange_bindings",
              "Bindings of an exchange.",
              exchanges(
                  vhosts, (vhost, exchange) -> vhost.routing().bindingsFrom(exchange).size())));
    }
    if (scrape.wants("exchange_names")) {
      families.add(
          Value.gauge(
              "rabbitmq_cluster_exchange_name",
              "Name and type of an exchange; always 1.",
              exchanges(vhosts, (vhost, exchange) -> 1)));
    }
    return families.build();
  }

  private static List<Value> exchanges(
      List<VirtualHost> vhosts, ToDoubleBiFunction<VirtualHost, String> value) {
    return vhosts.stream()
        .flatMap(
            vhost ->
                vhost.routing().exchanges().stream()
                    .filter(exchange -> !exchange.name().isEmpty())
                    .map(
                        exchange ->
                            new Value(
                                Labels.of(
                                    "vhost", vhost.name(),
                                    "exchange", exchange.name(),
                                    "type", exchange.type().wireName()),
                                value.applyAsDouble(vhost, exchange.name()))))
        .toList();
  }
}
