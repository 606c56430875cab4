package io.mayflymq.server.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.management.json.Node;
import io.prometheus.metrics.model.snapshots.Labels;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process, its machine, and what the broker counts as a whole. Read when it is asked. */
record NodeStats(MeasuredBroker broker) implements Metric.Labelled {
  /** How often connections, channels and queues were created and closed. */
  static final List<Metric<NodeStats>> CHURN =
      List.of(
          churn("connections_opened_total", "Opened connections.", Churn.Event.CONNECTION_CREATED),
          churn("connections_closed_total", "Closed connections.", Churn.Event.CONNECTION_CLOSED),
          churn("channels_opened_total", "Opened channels.", Churn.Event.CHANNEL_CREATED),
          churn("channels_closed_total", "Closed channels.", Churn.Event.CHANNEL_CLOSED),
          churn(
              "queues_declared_total",
              "Declarations of queues, of new and of existing ones.",
              Churn.Event.QUEUE_DECLARED),
          churn("queues_created_total", "Created queues.", Churn.Event.QUEUE_CREATED),
          churn("queues_deleted_total", "Deleted queues.", Churn.Event.QUEUE_DELETED),
          churn(
              "queue_declarations_kept_total",
              "Declarations that differ from the queue, which stays what it is.",
              Churn.Event.QUEUE_KEPT),
          churn(
              "queue_declarations_adopted_total",
              "Declarations that differ from the queue, which takes that over.",
              Churn.Event.QUEUE_ADOPTED));

  /** What the process uses. */
  static final List<Metric<NodeStats>> COARSE =
      List.of(
          Metric.gauge("process_open_fds", "Open file descriptors.", node -> openFiles()),
          Metric.gauge(
              "process_open_tcp_sockets",
              "Open sockets of connections of clients.",
              node -> node.broker.environment().open().size()),
          Metric.gauge(
              "process_resident_memory_bytes", "Memory of the process.", node -> Node.memoryUsed()),
          Metric.gauge(
              "disk_space_available_bytes",
              "Free space of the disk with the data directory.",
              node -> Node.diskFree(node.broker.dataDir())));

  /** What the process may use. */
  static final List<Metric<NodeStats>> LIMITS =
      List.of(
          Metric.gauge("process_max_fds", "Limit of open file descriptors.", node -> mostFiles()),
          Metric.gauge(
              "process_max_tcp_sockets",
              "Limit of open sockets, which is that of file descriptors.",
              node -> mostFiles()),
          Metric.gauge(
              "resident_memory_limit_bytes",
              "Memory above which publishers are blocked.",
              node -> node.broker.monitors().memoryHighWatermark()),
          Metric.gauge(
              "disk_space_available_limit_bytes",
              "Free disk space below which publishers are blocked.",
              node -> node.broker.monitors().diskFreeLimit()),
          Metric.gauge(
              "erlang_uptime_seconds",
              "Time since the process has started.",
              node -> Node.uptimeMillis() / (double) TimeUnit.SECONDS.toMillis(1)));

  /** The alarms. */
  static final List<Metric<NodeStats>> ALARMS =
      List.of(
          alarm("alarms_free_disk_space_watermark", Alarm.Resource.DISK),
          alarm("alarms_memory_used_watermark", Alarm.Resource.MEMORY));

  private static Metric<NodeStats> churn(String name, String help, Churn.Event event) {
    return Metric.counter(
        name, help, node -> node.broker.environment().broker().churn().get(event));
  }

  private static Metric<NodeStats> alarm(String name, Alarm.Resource alarm) {
    return Metric.untyped(
        name, "1 if the alarm for %s is raised.".formatted(alarm.word()), node -> node.is(alarm));
  }

  private int is(Alarm.Resource alarm) {
    List<Alarm> raised = broker.environment().alarms().raised();
    return raised.contains(alarm) || raised.contains(new Alarm.ByHand(alarm)) ? 1 : 0;
  }

  private static double openFiles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : Double.NaN;
  }

  private static double mostFiles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Double.NaN;
  }

  @Override
  public Labels labels() {
    return Labels.EMPTY;
  }
}
