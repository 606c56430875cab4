package io.mayflymq.server.metrics;

import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.connection.OpenConnection;
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
          "stream_consumer_metrics",
          ScrapedMetrics.QUEUE_EXCHANGES,
          ReplicaMetrics.RAFT);
  private static final List<String> OF_CONNECTIONS =
      List.of(
          "channel_metrics",
          ScrapedMetrics.CHANNEL_EXCHANGES,
          ScrapedMetrics.CHANNEL_QUEUES,
          ChannelStats.PROCESS,
          "connection_coarse_metrics",
          "connection_metrics");

  /** About how many bytes a connection takes with its channels. */
  private static final long CONNECTION_BYTES = 2 * 1024;

  private final MeasuredBroker broker;
  private final VhostTotals counts = new VhostTotals();

  Scraper(MeasuredBroker broker) {
    this.broker = broker;
  }

  /** What a scrape asks for, before it is read. */
  final class Selection {
    private final Scrape scrape;
    private final List<VirtualHost> vhosts = broker().virtualHosts();
    private final List<Queue> queues;
    private final Collection<OpenConnection> connections;

    private Selection(Scrape scrape) {
      this.scrape = scrape;
      this.queues = queues(scrape, vhosts);
      this.connections = connections(scrape);
    }

    /** Returns how many queues and connections it has. */
    int size() {
      return queues.size() + connections.size();
    }

    /** Returns about how many bytes of memory it takes until all of it is written. */
    long bytes() {
      return connections.size() * CONNECTION_BYTES
          + (isSums() ? 0 : queues.size() * QueueStats.BYTES);
    }

    private boolean isSums() {
      return scrape.endpoint() == Scrape.Endpoint.AGGREGATED
          || scrape.endpoint() == Scrape.Endpoint.MEMORY_BREAKDOWN;
    }

    /**
     * Reads it. Counters of the process and of exchanges are read later, when they are written.
     *
     * @throws OpenObjects.UnavailableException if the broker does not answer
     */
    ScrapedMetrics read() throws OpenObjects.UnavailableException {
      OpenObjects open =
          OpenObjects.read(queues, isSums(), connections, partitions(scrape), replicas(scrape));
      return new ScrapedMetrics(scrape, broker, counts.of(vhosts), open);
    }
  }

  /** Selects what a scrape asks for. */
  Selection select(Scrape scrape) {
    return new Selection(scrape);
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
            .filter(Queue::isHere)
            .filter(queue -> scrape.wantsQueue(queue.name()))
            .toList();
  }

  private List<Partition> partitions(Scrape scrape) {
    return scrape.wants(StoreMetrics.PERSISTER) || scrape.wants(ReplicaMetrics.RAFT)
        ? broker().partitions().withStores()
        : List.of();
  }

  private ReplicaManager replicas(Scrape scrape) {
    return scrape.wants(ReplicaMetrics.RAFT) ? broker.replicas().get() : null;
  }

  private Collection<OpenConnection> connections(Scrape scrape) {
    return OF_CONNECTIONS.stream().noneMatch(scrape::wants)
        ? List.of()
        : broker.environment().open();
  }
}
