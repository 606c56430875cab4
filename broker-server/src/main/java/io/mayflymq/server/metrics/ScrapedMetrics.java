package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.channel.ChannelView;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The families of one scrape.
 *
 * <p>A sum that would be wrong is left out: while a shard does not answer, there are no sums of
 * what queues or connections have.
 */
final class ScrapedMetrics {
  private static final String PREFIX = Scrape.Endpoint.AGGREGATED.prefix();

  /** The family of what channels publish to exchanges. */
  static final String CHANNEL_EXCHANGES = "channel_exchange_metrics";

  /** The family of what channels take from queues. */
  static final String CHANNEL_QUEUES = "channel_queue_metrics";

  /** The family of what queues get from exchanges. */
  static final String QUEUE_EXCHANGES = "queue_exchange_metrics";

  /** The families that RabbitMQ has the type and role of queues beside. */
  private static final List<String> QUEUES_WITH_INFO =
      List.of("queue_coarse_metrics", "queue_consumer_count", "queue_metrics");

  private static final Labels PROTOCOL = Labels.of("protocol", "amqp091");

  private final Scrape scrape;
  private final MeasuredBroker broker;
  private final VhostTotals.Sums sums;
  private final OpenObjects open;
  private final List<QueueStats> queues;

  /**
   * @param sums the counters of all virtual hosts
   * @param open the queues and connections that the scrape asks for, or the sums of queues if it
   *     asks for sums
   */
  ScrapedMetrics(Scrape scrape, MeasuredBroker broker, VhostTotals.Sums sums, OpenObjects open) {
    this.scrape = scrape;
    this.broker = broker;
    this.sums = sums;
    this.open = open;
    this.queues = open.queues().views();
  }

  /** Returns the families in the order in which they are written. */
  Stream<MetricFamily> all() {
    Stream<MetricFamily> identity =
        Identity.families(
            scrape.endpoint(),
            broker.environment().broker().dialect(),
            broker.environment().parameters());
    return switch (scrape.endpoint()) {
      case AGGREGATED ->
          Stream.of(identity, totals(), node(), sums(), global(), own(), Jvm.families())
              .flatMap(families -> families);
      case PER_OBJECT ->
          Stream.of(
                  identity,
                  totals(),
                  node(),
                  objects(),
                  queueInfo(PREFIX),
                  global(),
                  own(),
                  ClientMemoryMetrics.objects(broker.environment().memory(), connections()),
                  Jvm.families())
              .flatMap(families -> families);
      case DETAILED ->
          Stream.of(
                  identity,
                  node(),
                  objects(),
                  QUEUES_WITH_INFO.stream().anyMatch(scrape::wants)
                      ? queueInfo(scrape.endpoint().prefix())
                      : Stream.<MetricFamily>empty(),
                  cluster())
              .flatMap(families -> families);
      case MEMORY_BREAKDOWN ->
          Stream.concat(
              identity,
              queueSum().stream()
                  .flatMap(
                      sum ->
                          MemoryMetrics.families(
                              broker.environment().memory().total(), (long) sum.memory())));
    };
  }

  private Stream<MetricFamily> wanted(String family, Stream<MetricFamily> families) {
    return scrape.wants(family) ? families : Stream.empty();
  }

  /** Returns the numbers of objects, and the alarms. */
  private Stream<MetricFamily> totals() {
    Stream<MetricFamily> connections =
        open.connections().complete()
            ? Stream.of(
                Value.gauge(
                    "rabbitmq_connections", "Open connections.", open.connections().views().size()),
                Value.gauge("rabbitmq_channels", "Open channels.", open.channels().size()))
            : Stream.empty();
    Stream<MetricFamily> consumers =
        queueSum().stream()
            .map(sum -> Value.gauge("rabbitmq_consumers", "Consumers.", sum.sizes().consumers()));
    long declared = broker().virtualHosts().stream().mapToLong(this::queuesHere).sum();
    Stream<MetricFamily> others =
        Stream.concat(
            Stream.of(
                Value.gauge("rabbitmq_queues", "Queues.", (double) declared),
                ClusterMetrics.unreachable(broker().cluster())),
            MetricFamily.all(PREFIX, NodeStats.ALARMS, List.of(new NodeStats(broker))));
    Stream<MetricFamily> deleted =
        Stream.of(
            Value.gauge(
                "mayfly_deleted_queues",
                "Deleted queues of this node that can be brought back.",
                (double)
                    broker().virtualHosts().stream()
                        .mapToInt(VirtualHost::deletedQueuesHere)
                        .sum()),
            Value.gauge(
                "mayfly_deleted_queues_recoverable_bytes",
                "What their messages count that can be brought back.",
                (double)
                    broker().virtualHosts().stream()
                        .mapToLong(VirtualHost::deletedBytesHere)
                        .sum()));
    Stream<MetricFamily> links =
        LinkMetrics.all(PREFIX, broker.shovels().get(), broker.links().get());
    Stream<MetricFamily> standby = StandbyMetrics.all(broker.standby().get());
    return Stream.of(connections, consumers, others, deleted, links, standby)
        .flatMap(families -> families);
  }

  private long queuesHere(VirtualHost vhost) {
    return broker().cluster().isPresent()
        ? vhost.routing().queues().stream().filter(Queue::isHere).count()
        : vhost.routing().queueCount();
  }

  private Stream<MetricFamily> node() {
    String prefix = scrape.endpoint().prefix();
    List<NodeStats> node = List.of(new NodeStats(broker));
    return Stream.of(
            wanted("connection_churn_metrics", MetricFamily.all(prefix, NodeStats.CHURN, node)),
            wanted("node_coarse_metrics", MetricFamily.all(prefix, NodeStats.COARSE, node)),
            wanted("node_metrics", MetricFamily.all(prefix, NodeStats.LIMITS, node)),
            wanted(
                StoreMetrics.PERSISTER,
                open.stores().complete()
                    ? StoreMetrics.persister(prefix, stores())
                    : Stream.empty()),
            wanted(ReplicaMetrics.RAFT, raft(prefix)),
            wanted(
                "auth_attempt_metrics",
                LoginMetrics.all(prefix, broker.environment().accessControl().attempts())))
        .flatMap(families -> families);
  }

  private List<StoreStats> stores() {
    return open.stores().views().stream().map(OpenObjects.Stored::figures).toList();
  }

  /** Returns the logs of Raft under the names of RabbitMQ 4.2, and then under those of 3.13. */
  private Stream<MetricFamily> raft(String prefix) {
    RaftMetrics logs =
        new RaftMetrics(
            broker.consensus().get(),
            open.replicas().views(),
            open.stores().views().stream()
                .collect(
                    Collectors.toMap(OpenObjects.Stored::partition, OpenObjects.Stored::figures)));
    return Stream.concat(
        scrape.endpoint() == Scrape.Endpoint.AGGREGATED
            ? logs.sums(prefix)
            : logs.objects(
                prefix,
                queues.stream().map(QueueStats::log).filter(Objects::nonNull).toList(),
                scrape.isFiltered()),
        scrape.isFiltered()
            ? Stream.empty()
            : ReplicaMetrics.raft(prefix, open.replicas().views()));
  }

  /** Returns the sums of objects, under the names that the objects have. */
  private Stream<MetricFamily> sums() {
    List<QueueStats> queue = queueSum();
    List<ChannelStats> channel =
        open.connections().complete() ? List.of(ChannelStats.sum(open.channels())) : List.of();
    List<ConnectionStats> connection =
        List.of(ConnectionStats.sum(open.channels().size(), sums.connections()));
    List<ObjectTotals> ofQueues = List.of(ObjectTotals.of(sums.queues()));
    List<ObjectTotals> ofChannels = List.of(ObjectTotals.of(sums.channels()));
    return Stream.of(
            MetricFamily.all(PREFIX, QueueStats.COARSE, queue),
            MetricFamily.all(PREFIX, QueueStats.DETAILS, queue),
            MetricFamily.all(PREFIX, QueueStats.STREAM_CONSUMERS, queue),
            MetricFamily.all(PREFIX, QueueStats.DELIVERIES, ofQueues),
            MetricFamily.all(PREFIX, ObjectTotals.QUEUE_PUBLISHES, ofQueues),
            MetricFamily.all(PREFIX, ChannelStats.METRICS, channel),
            MetricFamily.all(PREFIX, ChannelStats.PROCESS_METRICS, channel),
            MetricFamily.all(PREFIX, ObjectTotals.CHANNEL_PUBLISHES, ofChannels),
            MetricFamily.all(PREFIX, ObjectTotals.CHANNEL_DELIVERIES, ofQueues),
            MetricFamily.all(PREFIX, ConnectionStats.COARSE, connection),
            Stream.of(MetricFamily.of(PREFIX, ConnectionStats.PROCESS, connection)),
            MetricFamily.all(PREFIX, ConnectionStats.DETAILS, connection))
        .flatMap(families -> families);
  }

  private Stream<MetricFamily> objects() {
    String prefix = scrape.endpoint().prefix();
    List<ChannelStats> channels = open.channels().stream().map(ChannelStats::of).toList();
    List<ConnectionStats> connections = connections();
    Stream<MetricFamily> consumerCount =
        scrape.wants("queue_metrics")
            ? Stream.empty()
            : MetricFamily.all(prefix, QueueStats.CONSUMERS, queues);
    return Stream.of(
            wanted("queue_coarse_metrics", MetricFamily.all(prefix, QueueStats.COARSE, queues)),
            wanted("queue_consumer_count", consumerCount),
            wanted("queue_metrics", MetricFamily.all(prefix, QueueStats.DETAILS, queues)),
            wanted("queue_metrics", byPriority()),
            wanted("queue_metrics", MetricFamily.all("mayfly_", QueueStats.OWN, queues)),
            wanted("queue_metrics", MayflyMetrics.waitsByQueue(queues)),
            wanted(QUEUE_EXCHANGES, intake(prefix)),
            wanted(
                "queue_delivery_metrics", MetricFamily.all(prefix, QueueStats.DELIVERIES, queues)),
            wanted(
                "stream_consumer_metrics",
                MetricFamily.all(prefix, QueueStats.STREAM_CONSUMERS, queues)),
            wanted("channel_metrics", MetricFamily.all(prefix, ChannelStats.METRICS, channels)),
            wanted(
                ChannelStats.PROCESS,
                MetricFamily.all(prefix, ChannelStats.PROCESS_METRICS, channels)),
            wanted(
                CHANNEL_EXCHANGES,
                MetricFamily.all(
                    prefix,
                    ObjectTotals.CHANNEL_EXCHANGE,
                    ofChannels(CHANNEL_EXCHANGES, "exchange", ChannelView::exchanges))),
            wanted(
                CHANNEL_QUEUES,
                MetricFamily.all(
                    prefix,
                    ObjectTotals.CHANNEL_DELIVERIES,
                    ofChannels(CHANNEL_QUEUES, "queue", ChannelView::queues))),
            wanted(
                "connection_coarse_metrics",
                Stream.concat(
                    MetricFamily.all(prefix, ConnectionStats.COARSE, connections),
                    Stream.of(MetricFamily.of(prefix, ConnectionStats.PROCESS, connections)))),
            wanted(
                "connection_metrics",
                MetricFamily.all(prefix, ConnectionStats.DETAILS, connections)),
            wanted(
                "exchange_metrics",
                MetricFamily.all(
                    prefix,
                    ObjectTotals.EXCHANGE,
                    ExchangeStats.counted(scrape, broker().virtualHosts()))))
        .flatMap(families -> families);
  }

  private List<ConnectionStats> connections() {
    return open.connections().views().stream()
        .map(connected -> ConnectionStats.of(connected.view()))
        .toList();
  }

  /**
   * Returns what channels count by something that has a name.
   *
   * @param label the label of the name
   */
  private List<ObjectTotals> ofChannels(
      String family, String label, Function<ChannelView, Map<String, Counters>> named) {
    return scrape.wants(family)
        ? open.channels().stream()
            .flatMap(channel -> ofChannel(channel, label, named.apply(channel)))
            .toList()
        : List.of();
  }

  private static Stream<ObjectTotals> ofChannel(
      ChannelView channel, String label, Map<String, Counters> named) {
    Labels labels =
        Labels.of(
            "channel", channel.identity().pid(),
            "vhost", channel.identity().connection().vhost());
    return named.entrySet().stream()
        .map(
            each ->
                new ObjectTotals(labels.merge(Labels.of(label, each.getKey())), each.getValue()));
  }

  private Stream<MetricFamily> byPriority() {
    List<QueueStats.OfPriority> priorities =
        queues.stream().flatMap(QueueStats::byPriority).toList();
    return Stream.of(MetricFamily.of("mayfly_", QueueStats.BY_PRIORITY, priorities));
  }

  private Stream<MetricFamily> intake(String prefix) {
    return Stream.of(
        () ->
            MetricFamily.slices(queues)
                .map(
                    slice ->
                        QueueStats.INTAKE.snapshot(
                            prefix, slice.stream().flatMap(QueueStats::intake).toList())));
  }

  private Stream<MetricFamily> queueInfo(String prefix) {
    List<QueueStats.Info> infos =
        new AbstractList<>() {
          @Override
          public QueueStats.Info get(int index) {
            return new QueueStats.Info(queues.get(index));
          }

          @Override
          public int size() {
            return queues.size();
          }
        };
    return Stream.of(MetricFamily.of(prefix, QueueStats.INFO, infos));
  }

  private Stream<MetricFamily> global() {
    List<ObjectTotals> deliveries =
        sums.types().entrySet().stream()
            .map(
                type ->
                    new ObjectTotals(
                        PROTOCOL.merge(Labels.of("queue_type", type.getKey().module())),
                        type.getValue()))
            .toList();
    Stream<MetricFamily> consumers =
        queueSum().stream()
            .map(
                sum ->
                    Value.gauge(
                        "rabbitmq_global_consumers",
                        "Consumers.",
                        List.of(new Value(PROTOCOL, sum.sizes().consumers()))));
    Stream<MetricFamily> publishers =
        open.connections().complete()
            ? Stream.of(
                Value.gauge(
                    "rabbitmq_global_publishers",
                    "Open channels that have published.",
                    List.of(
                        new Value(
                            PROTOCOL, (double) ChannelStats.sum(open.channels()).publishers()))))
            : Stream.empty();
    return Stream.of(
            MetricFamily.all(
                PREFIX,
                ObjectTotals.GLOBAL_PUBLISHES,
                List.of(new ObjectTotals(PROTOCOL, sums.channels()))),
            MetricFamily.all(
                PREFIX,
                ObjectTotals.GLOBAL_ROUTES,
                List.of(new ObjectTotals(PROTOCOL, sums.exchanges()))),
            publishers,
            consumers,
            ShardMetrics.of(broker().shards()).global(PROTOCOL),
            MetricFamily.all(PREFIX, ObjectTotals.GLOBAL_DELIVERIES, deliveries),
            new DeathMetrics(broker().partitions().everLed()).global())
        .flatMap(families -> families);
  }

  private Stream<MetricFamily> own() {
    boolean complete = open.complete();
    Stream<MetricFamily> stores =
        open.stores().complete() ? StoreMetrics.of(stores()) : Stream.empty();
    return Stream.of(
            MayflyMetrics.counters(sums.queues()),
            MayflyMetrics.gauges(queueSum()),
            MayflyMetrics.waits(
                broker().virtualHosts().stream()
                    .flatMap(vhost -> vhost.metrics().queues().waits().stream())
                    .toList()),
            new DeathMetrics(broker().partitions().everLed()).own(),
            ShardMetrics.of(broker().shards()).own(),
            stores,
            ClientMemoryMetrics.sums(broker.environment().memory()),
            AuthMetrics.families(broker.environment().logins().answers()),
            ReplicaMetrics.own(
                open.replicas().views(), number -> broker.replicas().get().nodeName(number)),
            Stream.of(
                Value.counter(
                    "mayfly_contained_faults_total",
                    "Unexpected errors that the broker has survived.",
                    (double) broker().shards().get(0).faults().containedCount()),
                Value.gauge(
                    "mayfly_scrape_complete",
                    "0 if a shard did not answer, so that metrics are left out.",
                    complete ? 1 : 0)))
        .flatMap(families -> families);
  }

  private Stream<MetricFamily> cluster() {
    return ExchangeStats.cluster(scrape, broker().virtualHosts());
  }

  private Broker broker() {
    return broker.environment().broker();
  }

  /** Returns the sum of all queues; none if it is not known. */
  private List<QueueStats> queueSum() {
    return open.queues().complete() ? List.of(QueueStats.sum(queues, sums.queues())) : List.of();
  }
}
