package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counts;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/**
 * Counters of all objects of a kind, with the same labels.
 *
 * @param labels of all their samples
 */
record ObjectTotals(Labels labels, Counts counts) implements Metric.Counted {
  private static final String RECEIVED = "Messages that were published.";
  private static final String CONFIRMED = "Messages that were confirmed to their publishers.";
  private static final String RETURNED =
      "Messages that were returned to their publishers as unroutable.";
  private static final String UNROUTABLE = "Other messages that were unroutable.";
  private static final String GOT_ACK = "Messages taken by basic.get that are to be acknowledged.";
  private static final String GOT = "Messages taken by basic.get without acknowledgement.";
  private static final String GOT_NONE = "Calls of basic.get that found no message.";
  private static final String DELIVERED_ACK = "Messages delivered to consumers that acknowledge.";
  private static final String DELIVERED =
      "Messages delivered to consumers that do not acknowledge.";
  private static final String REDELIVERED =
      "Deliveries of messages that may have been delivered before.";
  private static final String ACKED = "Messages that were acknowledged.";
  private static final String ENQUEUED = "Messages that queues have accepted.";

  /** What publishers do, of all protocols. */
  static final List<Metric<Metric.Counted>> GLOBAL_PUBLISHES =
      List.of(
          Metric.counter("global_messages_received_total", RECEIVED, Counter.PUBLISHED),
          Metric.counter(
              "global_messages_received_confirm_total",
              "Messages that were published in confirm mode.",
              Counter.PUBLISHED_CONFIRM),
          Metric.counter(
              "global_messages_unroutable_dropped_total", UNROUTABLE, Counter.UNROUTABLE),
          Metric.counter("global_messages_unroutable_returned_total", RETURNED, Counter.RETURNED),
          Metric.counter("global_messages_confirmed_total", CONFIRMED, Counter.CONFIRMED));

  /** What exchanges do. */
  static final List<Metric<Metric.Counted>> GLOBAL_ROUTES =
      List.of(
          Metric.counter(
              "global_messages_routed_total",
              "How often messages were routed to queues.",
              Counter.ROUTED));

  /** What consumers do, of all protocols and types of queue. */
  static final List<Metric<Metric.Counted>> GLOBAL_DELIVERIES =
      List.of(
          Metric.counter(
              "global_messages_delivered_total",
              "Messages delivered to consumers and taken by basic.get.",
              Counter.DELIVERED,
              Counter.DELIVERED_NO_ACK,
              Counter.GOT,
              Counter.GOT_NO_ACK),
          Metric.counter(
              "global_messages_delivered_consume_manual_ack_total",
              DELIVERED_ACK,
              Counter.DELIVERED),
          Metric.counter(
              "global_messages_delivered_consume_auto_ack_total",
              DELIVERED,
              Counter.DELIVERED_NO_ACK),
          Metric.counter("global_messages_delivered_get_manual_ack_total", GOT_ACK, Counter.GOT),
          Metric.counter("global_messages_delivered_get_auto_ack_total", GOT, Counter.GOT_NO_ACK),
          Metric.counter("global_messages_get_empty_total", GOT_NONE, Counter.GOT_EMPTY),
          Metric.counter("global_messages_redelivered_total", REDELIVERED, Counter.REDELIVERED),
          Metric.counter("global_messages_acknowledged_total", ACKED, Counter.ACKED));

  /** The sums of what channels publish, under the names of channels and of exchanges. */
  static final List<Metric<Metric.Counted>> CHANNEL_PUBLISHES =
      List.of(
          Metric.counter("channel_messages_published_total", RECEIVED, Counter.PUBLISHED),
          Metric.counter("channel_messages_confirmed_total", CONFIRMED, Counter.CONFIRMED),
          Metric.counter("channel_messages_unroutable_returned_total", RETURNED, Counter.RETURNED),
          Metric.counter(
              "channel_messages_unroutable_dropped_total", UNROUTABLE, Counter.UNROUTABLE),
          Metric.counter("exchange_messages_published_total", RECEIVED, Counter.PUBLISHED),
          Metric.counter("exchange_messages_confirmed_total", CONFIRMED, Counter.CONFIRMED),
          Metric.counter("exchange_messages_unroutable_returned_total", RETURNED, Counter.RETURNED),
          Metric.counter(
              "exchange_messages_unroutable_dropped_total", UNROUTABLE, Counter.UNROUTABLE));

  /** What channels take from queues. */
  static final List<Metric<Metric.Counted>> CHANNEL_DELIVERIES =
      List.of(
          Metric.counter("channel_get_ack_total", GOT_ACK, Counter.GOT),
          Metric.counter("channel_get_total", GOT, Counter.GOT_NO_ACK),
          Metric.counter("channel_messages_delivered_ack_total", DELIVERED_ACK, Counter.DELIVERED),
          Metric.counter("channel_messages_delivered_total", DELIVERED, Counter.DELIVERED_NO_ACK),
          Metric.counter("channel_messages_redelivered_total", REDELIVERED, Counter.REDELIVERED),
          Metric.counter("channel_messages_acked_total", ACKED, Counter.ACKED),
          Metric.counter("channel_get_empty_total", GOT_NONE, Counter.GOT_EMPTY));

  /** The sums of what queues get. */
  static final List<Metric<Metric.Counted>> QUEUE_PUBLISHES =
      List.of(
          Metric.counter("queue_messages_published_total", ENQUEUED, Counter.PUBLISHED),
          Metric.counter("queue_exchange_messages_published_total", ENQUEUED, Counter.PUBLISHED));

  /** What an exchange does. */
  static final List<Metric<Metric.Counted>> EXCHANGE =
      List.of(
          Metric.counter("exchange_messages_published_total", RECEIVED, Counter.PUBLISHED),
          Metric.counter("exchange_messages_confirmed_total", CONFIRMED, Counter.CONFIRMED),
          Metric.counter("exchange_messages_unroutable_returned_total", RETURNED, Counter.RETURNED),
          Metric.counter(
              "exchange_messages_unroutable_dropped_total", UNROUTABLE, Counter.UNROUTABLE));

  /** What a channel does with an exchange. */
  static final List<Metric<Metric.Counted>> CHANNEL_EXCHANGE =
      List.of(
          Metric.counter("channel_messages_published_total", RECEIVED, Counter.PUBLISHED),
          Metric.counter("channel_messages_confirmed_total", CONFIRMED, Counter.CONFIRMED),
          Metric.counter("channel_messages_unroutable_returned_total", RETURNED, Counter.RETURNED),
          Metric.counter(
              "channel_messages_unroutable_dropped_total", UNROUTABLE, Counter.UNROUTABLE));

  /** Returns sums without labels. */
  static ObjectTotals of(Counts counts) {
    return new ObjectTotals(Labels.EMPTY, counts);
  }
}
