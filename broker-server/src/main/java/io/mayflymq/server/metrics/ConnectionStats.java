package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counts;
import io.mayflymq.server.connection.ConnectionView;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/**
 * A connection, or the sum of all.
 *
 * @param labels its identifier; none for the sum
 * @param channels how many channels are open
 * @param memory what is held for its client, in bytes
 */
record ConnectionStats(Labels labels, int channels, long memory, Counts counts)
    implements Metric.Counted {
  /** The bytes of a connection. */
  static final List<Metric<Metric.Counted>> COARSE =
      List.of(
          Metric.counter(
              "connection_incoming_bytes_total",
              "Bytes received on connections.",
              Counter.RECEIVED_BYTES),
          Metric.counter(
              "connection_outgoing_bytes_total", "Bytes sent on connections.", Counter.SENT_BYTES));

  /** What RabbitMQ counts of the process of a connection. There is none here. */
  static final Metric<ConnectionStats> PROCESS =
      Metric.counter(
          "connection_process_reductions_total",
          "Always 0: a connection is no process.",
          connection -> 0);

  /** What else a connection has. */
  static final List<Metric<? super ConnectionStats>> DETAILS =
      List.of(
          Metric.<Metric.Counted>counter(
              "connection_incoming_packets_total",
              "Reads of sockets that returned data.",
              Counter.RECEIVED_PACKETS),
          Metric.<Metric.Counted>counter(
              "connection_outgoing_packets_total", "Writes to sockets.", Counter.SENT_PACKETS),
          Metric.<ConnectionStats>gauge(
              "connection_channels", "Channels of connections.", ConnectionStats::channels));

  /** Returns the figures of one connection. The label is RabbitMQ's. */
  static ConnectionStats of(ConnectionView view) {
    return new ConnectionStats(
        Labels.of("channel", view.identity().pid()),
        view.channels(),
        view.memory(),
        view.counters());
  }

  /** Returns the sum of connections. */
  static ConnectionStats sum(int channels, Counts counts) {
    return new ConnectionStats(Labels.EMPTY, channels, 0, counts);
  }
}
