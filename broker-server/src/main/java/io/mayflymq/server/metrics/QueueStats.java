package io.mayflymq.server.metrics;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.FairShareCounts;
import io.mayflymq.core.queue.index.PriorityCounts;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.PropertiesScan;
import io.mayflymq.server.management.json.QueueFields;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A queue, or the sum of all.
 *
 * @param labels its virtual host and name; none for the sum
 * @param type the module of its type in RabbitMQ; null for the sum
 * @param log where its log of Raft is; null for the sum, and if it is no quorum queue
 * @param settings its effective settings; null for the sum
 * @param sizes its numbers
 * @param capacity which part of the time its consumers could take at once what it had; NaN for a
 *     stream and for the sum
 * @param headTimestamp the timestamp of the first ready message, in seconds since 1970; NaN if it
 *     has none
 * @param counts its counters
 * @param priorities how many messages are ready of each priority; null for the sum, and if the
 *     queue tells none apart
 * @param shares which shares have ready messages; null for the sum, and if no values of a header
 *     take turns
 */
record QueueStats(
    Labels labels,
    String type,
    RaftMetrics.QuorumQueue log,
    QueueSettings settings,
    QueueSizes sizes,
    double capacity,
    double headTimestamp,
    Counts counts,
    PriorityCounts priorities,
    FairShareCounts shares)
    implements Metric.Counted {
  private static final double MILLIS = 1e3;

  /** About how many bytes one takes. */
  static final long BYTES = 640;

  /** What is always 1, for the type and role of a queue. */
  static final Metric<Info> INFO =
      Metric.gauge("queue_info", "Type and role of a queue; always 1.", info -> 1);

  /** A queue with labels for its type and its role. */
  record Info(QueueStats queue) implements Metric.Labelled {
    @Override
    public Labels labels() {
      return queue.labels.merge(Labels.of("queue_type", queue.type, "membership", "leader"));
    }
  }

  /** How many messages of a queue are ready of one priority. */
  record OfPriority(Labels labels, long ready) implements Metric.Labelled {}

  /** How many messages are ready, by their priority. */
  static final Metric<OfPriority> BY_PRIORITY =
      Metric.gauge(
          "queue_messages_ready_by_priority",
          "Messages that are ready, by priority.",
          OfPriority::ready);

  /** Returns the priorities of which messages are ready; none if the queue tells none apart. */
  Stream<OfPriority> byPriority() {
    return priorities == null
        ? Stream.empty()
        : priorities.ready().entrySet().stream()
            .map(
                each ->
                    new OfPriority(
                        labels.merge(Labels.of("priority", each.getKey().toString())),
                        each.getValue()));
  }

  private static final String CAPACITY =
      "Part of the time in which consumers could take at once what a queue had.";

  /** How many messages there are, as clients of RabbitMQ see them. */
  static final List<Metric<QueueStats>> COARSE = ofFields(QueueFields.Gauges.COARSE).toList();

  /** What else a queue has. */
  static final List<Metric<QueueStats>> DETAILS =
      Stream.concat(
              ofFields(QueueFields.Gauges.DETAILS),
              Stream.of(
                  Metric.<QueueStats>gauge(
                      "queue_consumer_capacity", CAPACITY, QueueStats::capacity),
                  Metric.<QueueStats>gauge(
                      "queue_consumer_utilisation", CAPACITY, QueueStats::capacity),
                  Metric.<QueueStats>gauge(
                      "queue_process_memory_bytes",
                      "About how many bytes of memory the messages of a queue take.",
                      QueueStats::memory),
                  Metric.<QueueStats>gauge(
                      "queue_head_message_timestamp",
                      "Timestamp that the publisher gave to the first ready message.",
                      QueueStats::headTimestamp)))
          .toList();

  /** The number of consumers. */
  static final List<Metric<QueueStats>> CONSUMERS =
      DETAILS.stream().filter(metric -> metric.name().equals("queue_consumers")).toList();

  private static Stream<Metric<QueueStats>> ofFields(QueueFields.Gauges family) {
    return QueueFields.gauges(family).stream()
        .map(
            gauge ->
                Metric.gauge(
                    gauge.name(),
                    gauge.help(),
                    queue -> (double) gauge.value().applyAsLong(queue.sizes)));
  }

  /** What RabbitMQ does not have of a queue. */
  static final List<Metric<QueueStats>> OWN =
      List.of(
          Metric.gauge(
              "queue_oldest_message_age_seconds",
              "For how long the oldest message has been in a queue, ready or not acknowledged.",
              QueueStats::oldestAge),
          Metric.gauge(
              "queue_max_length",
              "Limit of the number of messages.",
              queue -> limit(queue.settings.length().maxLength())),
          Metric.gauge(
              "queue_max_length_bytes",
              "Limit of the body sizes of messages.",
              queue -> limit(queue.settings.length().maxLengthBytes())),
          Metric.gauge(
              "queue_message_ttl_seconds",
              "How long messages may stay in a queue.",
              queue -> limit(queue.settings.expiry().messageTtlMillis()) / MILLIS),
          Metric.gauge(
              "queue_delivery_limit",
              "How often messages may be returned.",
              queue -> limit(queue.settings.deliveries().limit())),
          Metric.gauge(
              "queue_fair_shares",
              "Values of a header that have ready messages, where they take turns.",
              queue -> queue.shares == null ? Double.NaN : queue.shares.shares()),
          Metric.counter(
              "queue_lock_renewals_total",
              "Locks of deliveries that clients renewed.",
              queue -> queue.counts.get(Counter.LOCK_RENEWALS)),
          Metric.counter(
              "queue_messages_refused_total",
              "Messages that were refused at a length limit.",
              queue -> queue.counts.get(Counter.REFUSED)));

  private static double limit(long setting) {
    return setting == QueueSettings.NONE ? Double.NaN : setting;
  }

  /** What came into a queue through an exchange. */
  record Intake(Labels labels, long messages) implements Metric.Labelled {}

  /** How many messages a queue has accepted by the exchange that they came through. */
  static final Metric<Intake> INTAKE =
      Metric.counter(
          "queue_exchange_messages_published_total",
          "Messages that queues have accepted through an exchange.",
          Intake::messages);

  /** Returns what came through each exchange. */
  Stream<Intake> intake() {
    return counts instanceof Counters own
        ? own.intake().entrySet().stream()
            .map(
                each ->
                    new Intake(labels.merge(Labels.of("exchange", each.getKey())), each.getValue()))
        : Stream.empty();
  }

  /** Returns how long messages waited in it; empty if that is not measured. */
  Stream<Distribution> waits() {
    Histogram waits = counts instanceof Counters own ? own.waits() : null;
    return waits == null ? Stream.empty() : Stream.of(new Distribution(labels, waits.read()));
  }

  /** What the consumers of a stream have. */
  static final List<Metric<QueueStats>> STREAM_CONSUMERS =
      List.of(
          Metric.gauge(
              "stream_consumer_max_offset_lag",
              "Messages of a stream that its slowest consumer has not read yet.",
              QueueStats::lag));

  /** What was delivered from a queue, and what that took of the disk. */
  static final List<Metric<Metric.Counted>> DELIVERIES =
      List.of(
          Metric.counter(
              "queue_get_ack_total",
              "Messages taken by basic.get that are to be acknowledged.",
              Counter.GOT),
          Metric.counter(
              "queue_get_total",
              "Messages taken by basic.get without acknowledgement.",
              Counter.GOT_NO_ACK),
          Metric.counter(
              "queue_messages_delivered_ack_total",
              "Messages delivered to consumers that acknowledge.",
              Counter.DELIVERED),
          Metric.counter(
              "queue_messages_delivered_total",
              "Messages delivered to consumers that do not acknowledge.",
              Counter.DELIVERED_NO_ACK),
          Metric.counter(
              "queue_messages_redelivered_total",
              "Deliveries of messages that may have been delivered before.",
              Counter.REDELIVERED),
          Metric.counter(
              "queue_messages_acked_total", "Messages that were acknowledged.", Counter.ACKED),
          Metric.counter(
              "queue_disk_reads_total",
              "Messages that were read from the message log, as they were not in memory any more.",
              Counter.DISK_READS),
          Metric.counter(
              "queue_disk_writes_total",
              "Messages that were written to the message log.",
              Counter.DISK_WRITES),
          Metric.counter(
              "queue_get_empty_total",
              "Calls of basic.get that found no message.",
              Counter.GOT_EMPTY));

  /** For how long the oldest message has been there, in seconds; NaN if there is none. */
  double oldestAge() {
    return number(sizes.oldestAgeMillis()) / MILLIS;
  }

  /** How many messages the slowest consumer of a stream has not read; NaN if there is none. */
  double lag() {
    return number(sizes.lag());
  }

  /** About how many bytes of memory its messages take; NaN for a stream. */
  double memory() {
    return number(sizes.memoryBytes());
  }

  /** Returns the figures of a queue, on its shard; null if it was deleted. */
  static QueueStats of(Queue queue) {
    QueueSnapshot snapshot = QueueSnapshot.of(queue);
    return snapshot == null ? null : of(snapshot);
  }

  private static QueueStats of(QueueSnapshot queue) {
    Labels labels = Labels.of("vhost", queue.queue().vhost().name(), "queue", queue.queue().name());
    QueueType type = queue.queue().definition().settings().type();
    return new QueueStats(
        labels,
        type.module(),
        type == QueueType.QUORUM ? log(labels, queue.queue()) : null,
        queue.queue().settings(),
        queue.contents().sizes(),
        queue.contents().consumerCapacity(),
        timestamp(queue.head()),
        queue.queue().counters(),
        queue.contents().priorities(),
        queue.contents().shares());
  }

  private static RaftMetrics.QuorumQueue log(Labels labels, Queue queue) {
    return queue.isReplicated()
        ? RaftMetrics.QuorumQueue.replicated(labels, queue.replicatedPartition())
        : RaftMetrics.QuorumQueue.alone(labels, queue.partition().index());
  }

  private static double number(OptionalLong known) {
    return known.isPresent() ? known.getAsLong() : Double.NaN;
  }

  /** Reads it without decoding the headers, which may be long. */
  private static double timestamp(Message head) {
    if (head == null) {
      return Double.NaN;
    }
    PropertiesScan properties = new PropertiesScan();
    properties.scan(head.content(), 0, head.propertiesLength());
    return properties.hasTimestamp() ? properties.timestamp() : Double.NaN;
  }

  /**
   * Returns the sum of queues.
   *
   * @param queues queues, or sums of others
   * @param counts the counters of these queues and of those that were deleted
   */
  static QueueStats sum(List<QueueStats> queues, Counts counts) {
    return sum(QueueSizes.sum(queues.stream().map(QueueStats::sizes).toList()), counts);
  }

  /**
   * Returns a sum of queues.
   *
   * @param counts null if they are not known
   */
  static QueueStats sum(QueueSizes sizes, Counts counts) {
    return new QueueStats(
        Labels.EMPTY, null, null, null, sizes, Double.NaN, Double.NaN, counts, null, null);
  }
}
