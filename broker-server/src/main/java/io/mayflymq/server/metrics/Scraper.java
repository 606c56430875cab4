package io.mayflymq.server.metrics;

import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.replica.PartitionReplicas;
import io.mayflymq.server.connection.OpenConnection;
import io.mayflymq.server.metrics.cluster.ReplicaFamilies;
import java.util.Collection;
import java.util.List;

/** Reads the metrics of a broker. Any thread may call but those of shards. */
final class Scraper {
  private static final List<String> OF_QUEUES =
      List.of(
          "queue_coarse_metrics",
          "queue_consumer_count",
          "queue_metrics",
          "queue_delivery_metrics",
          "stream_consumer_metrics");
  private static final List<String> OF_CONNECTIONS =
      List.of(
          "channel_metrics",
          ScrapedFamilies.CHANNEL_EXCHANGES,
          ScrapedFamilies.CHANNEL_QUEUES,
          "connection_coarse_metrics",
          "connection_metrics");

  private final MeasuredBroker broker;
  private final BrokerCounts counts = new BrokerCounts();

  Scraper(MeasuredBroker broker) {
    this.broker = broker;
  }

  /**
   * Reads what a scrape asks for. Counters of the process and of exchanges are read later, when
   * they are written.
   *
   * @throws OpenObjects.UnavailableException if the broker does not answer
   */
  ScrapedFamilies read(Scrape scrape) throws OpenObjects.UnavailableException {
    List<VirtualHost> vhosts = broker().virtualHosts();
    OpenObjects open =
        OpenObjects.read(
            queues(scrape, vhosts), connections(scrape), partitions(scrape), replicas(scrape));
    return new ScrapedFamilies(scrape, broker, counts.of(vhosts), open);
  }

  private Broker broker() {
    return broker.environment().broker();
  }

  private static List<Queue> queues(Scrape scrape, List<VirtualHost> vhosts) {
    return OF_QUEUES.stream().noneMatch(scrape::wants)
        ? List.of()
        : vhosts.stream()
            .filter(vhost -> scrape.wantsVhost(vhost.name()))
            .flatMap(vhost -> vhost.routing().queues().stream())
            .filter(queue -> queue.here() != null)
            .filter(queue -> scrape.queues().test(queue.name()))
            .toList();
  }

  private List<Partition> partitions(Scrape scrape) {
    return scrape.wants(StoreFamilies.PERSISTER) ? broker().partitions().withStores() : List.of();
  }

  private PartitionReplicas replicas(Scrape scrape) {
    return scrape.wants(ReplicaFamilies.RAFT) ? broker.replicas().get() : null;
  }

  private Collection<OpenConnection> connections(Scrape scrape) {
    return OF_CONNECTIONS.stream().noneMatch(scrape::wants)
        ? List.of()
        : broker.environment().open();
  }
}
