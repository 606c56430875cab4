package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Shows the status of the broker in RabbitMQ's sections, from the part of the API that all users
 * may read.
 */
public final class Status {
  private static final String MANUAL_CLOCK = "manual_clock_ms";

  private final Map<String, Object> overview;
  private final Map<String, Object> node;
  private final String unit;

  private Status(Map<String, Object> overview, Map<String, Object> node, String unit) {
    this.overview = overview;
    this.node = node;
    this.unit = unit;
  }

  private static Status read(Invocation invocation) {
    Map<String, Object> overview = Api.object(invocation.api().get("overview"));
    Object name = overview.get("node");
    Map<String, Object> node =
        Api.object(invocation.api().get(Api.path("nodes", String.valueOf(name))));
    String unit = invocation.option("--unit");
    return new Status(overview, node, unit == null ? "gb" : unit.toLowerCase(Locale.ROOT));
  }

  /** Returns the status. */
  public static Result of(Invocation invocation) {
    Status status = read(invocation);
    int vhosts = invocation.api().list("vhosts?columns=name").size();
    Map<String, Object> memory =
        Api.object(
            Api.object(invocation.api().get(Api.path("nodes", invocation.node(), "memory")))
                .get("memory"));
    return new Result.Value(status.value(vhosts, memory), status.text(vhosts));
  }

  /** Returns the status of the cluster, of which there may be one node. */
  static Result ofCluster(Invocation invocation) {
    Status status = read(invocation);
    List<Map<String, Object>> flags = invocation.api().list("feature-flags?columns=name,state");
    List<Map<String, Object>> nodes = invocation.api().list("nodes");
    return new Result.Value(status.clusterValue(nodes, flags), status.clusterText(nodes, flags));
  }

  private static List<Object> names(List<Map<String, Object>> nodes) {
    return nodes.stream().map(node -> node.get("name")).toList();
  }

  private static List<Object> running(List<Map<String, Object>> nodes) {
    return names(runningOnly(nodes));
  }

  private static List<Map<String, Object>> runningOnly(List<Map<String, Object>> nodes) {
    return nodes.stream().filter(node -> Boolean.TRUE.equals(node.get("running"))).toList();
  }

  private static Map<String, Object> ofEach(
      List<Map<String, Object>> nodes, Function<Map<String, Object>, Object> what) {
    Map<String, Object> byName = new LinkedHashMap<>();
    nodes.forEach(node -> byName.put(String.valueOf(node.get("name")), what.apply(node)));
    return byName;
  }

  private static String maintenance(Map<String, Object> node) {
    return Boolean.TRUE.equals(node.get("being_drained"))
        ? "marked for maintenance"
        : "not under maintenance";
  }

  /** Returns the alarms that are in effect on the node, a line each. */
  public static List<String> localAlarms(Invocation invocation) {
    return read(invocation).alarms();
  }

  /** Returns the alarms that are in effect on all nodes, a line each. */
  public static List<String> alarms(Invocation invocation) {
    return alarms(invocation.api().list("nodes"));
  }

  private static List<String> alarms(List<Map<String, Object>> nodes) {
    return nodes.stream().flatMap(node -> alarms(node).stream()).toList();
  }

  /** Returns how many nodes the cluster has. */
  public static int nodeCount(Invocation invocation) {
    return invocation.api().list("nodes?columns=name").size();
  }

  /** Returns where the broker listens, as the API shows it. */
  public static List<Map<String, Object>> listeners(Invocation invocation) {
    return read(invocation).listeners();
  }

  /** Returns a listener in one line. */
  public static String listener(Map<String, Object> listener) {
    return "Interface: %s, port: %s, protocol: %s, purpose: %s"
        .formatted(
            listener.get("ip_address"),
            listener.get("port"),
            listener.get("protocol"),
            purpose(listener));
  }

  /** Returns those of this node. */
  private List<String> alarms() {
    return alarms(node);
  }

  private static List<String> alarms(Map<String, Object> node) {
    List<String> alarms = new ArrayList<>();
    if (Boolean.TRUE.equals(node.get("mem_alarm"))) {
      alarms.add("Memory alarm on node " + node.get("name"));
    }
    if (Boolean.TRUE.equals(node.get("disk_free_alarm"))) {
      alarms.add("Free disk space alarm on node " + node.get("name"));
    }
    if (node.get("failures") instanceof List<?> failures) {
      failures.forEach(failure -> alarms.add(failure + " on node " + node.get("name")));
    }
    return alarms;
  }

  private List<Map<String, Object>> listeners() {
    return objects(overview.get("listeners")).stream()
        .filter(listener -> overview.get("node").equals(listener.get("node")))
        .toList();
  }

  private static List<Map<String, Object>> objects(Object list) {
    return list instanceof List<?> all ? all.stream().map(Api::object).toList() : List.of();
  }

  private Object total(String what) {
    return ControlValues.at(overview, "object_totals", what);
  }

  /** As RabbitMQ wraps it; what only Erlang has is left out. */
  private Map<String, Object> value(int vhosts, Map<String, Object> memory) {
    Map<String, Object> value = ofNode(vhosts, memory);
    if (overview.containsKey(MANUAL_CLOCK)) {
      value.put(MANUAL_CLOCK, overview.get(MANUAL_CLOCK));
    }
    return value;
  }

  private Map<String, Object> ofNode(int vhosts, Map<String, Object> memory) {
    return Json.object(
        "pid", Long.parseLong(String.valueOf(node.get("os_pid"))),
        "os", System.getProperty("os.name"),
        "uptime", TimeUnit.MILLISECONDS.toSeconds(ControlValues.number(node, "uptime")),
        "product_name", overview.get("product_name"),
        "product_version", overview.get("product_version"),
        "rabbitmq_version", overview.get("rabbitmq_version"),
        "erlang_version", overview.get("erlang_full_version"),
        "node", overview.get("node"),
        "data_directory", node.get("db_dir"),
        "config_files", node.get("config_files"),
        "log_files", node.get("log_files"),
        "alarms", alarms(),
        "memory", memory,
        "vm_memory_calculation_strategy", node.get("mem_calculation_strategy"),
        "vm_memory_high_watermark_limit", node.get("mem_limit"),
        "tags", node.getOrDefault("node_tags", List.of()),
        "is_under_maintenance", node.get("being_drained"),
        "active_plugins", node.get("enabled_plugins"),
        "run_queue", node.get("run_queue"),
        "processes", Json.object("used", node.get("proc_used"), "limit", node.get("proc_total")),
        "disk_free", node.get("disk_free"),
        "disk_free_limit", node.get("disk_free_limit"),
        "totals",
            Json.object(
                "connection_count", total("connections"),
                "queue_count", total("queues"),
                "virtual_host_count", (long) vhosts),
        "listeners", listeners());
  }

  private String text(int vhosts) {
    Sections text = new Sections();
    text.section("Runtime")
        .line("OS PID: %s", node.get("os_pid"))
        .line(
            "Uptime (seconds): %d",
            TimeUnit.MILLISECONDS.toSeconds(ControlValues.number(node, "uptime")))
        .line("Is under maintenance?: %s", node.get("being_drained"))
        .line("%s version: %s", overview.get("product_name"), overview.get("product_version"))
        .line("RabbitMQ version: %s", overview.get("rabbitmq_version"))
        .line("Node name: %s", overview.get("node"))
        .line("Runtime: %s", overview.get("erlang_full_version"));
    if (overview.get(MANUAL_CLOCK) instanceof Number millis) {
      text.line("Clock: moved by hand, stands at %s", Instant.ofEpochMilli(millis.longValue()));
    }
    text.section("Plugins").line("Enabled plugins:").line("");
    text.section("Data directory").line("Node data directory: %s", node.get("db_dir"));
    text.section("Config files").items(node.get("config_files"));
    text.section("Log file(s)").items(node.get("log_files"));
    text.section("Alarms").any(alarms());
    text.section("Memory")
        .line("Total memory used: %s", size(node.get("mem_used")))
        .line("Calculation strategy: %s", node.get("mem_calculation_strategy"))
        .line("Memory high watermark setting: computed to: %s", size(node.get("mem_limit")));
    text.section("Free Disk Space")
        .line("Low free disk space watermark: %s", size(node.get("disk_free_limit")))
        .line("Free disk space: %s", size(node.get("disk_free")));
    text.section("Totals")
        .line("Connection count: %s", total("connections"))
        .line("Queue count: %s", total("queues"))
        .line("Virtual host count: %d", vhosts);
    text.section("Listeners");
    listeners().forEach(listener -> text.line("%s", listener(listener)));
    return text.toString();
  }

  private static String purpose(Map<String, Object> listener) {
    return switch (String.valueOf(listener.get("protocol"))) {
      case "amqp" -> "AMQP 0-9-1";
      case "amqp/ssl" -> "AMQP 0-9-1 over TLS";
      case "http" -> "HTTP API";
      case "https" -> "HTTP API over TLS";
      case "clustering" -> "inter-node communication";
      default -> "unknown";
    };
  }

  private Map<String, Object> clusterValue(
      List<Map<String, Object>> nodes, List<Map<String, Object>> flags) {
    return Json.object(
        "cluster_name", overview.get("cluster_name"),
        "disk_nodes", names(nodes),
        "running_nodes", running(nodes),
        "versions",
            ofEach(
                runningOnly(nodes),
                node ->
                    Json.object(
                        "product_name", overview.get("product_name"),
                        "product_version", node.get("product_version"),
                        "erlang_version", node.get("erlang_full_version"))),
        "maintenance_status", ofEach(nodes, Status::maintenance),
        "cpu_cores", ofEach(runningOnly(nodes), node -> node.get("processors")),
        "alarms", alarms(nodes),
        "partitions", Json.object(),
        "listeners",
            objects(overview.get("listeners")).stream()
                .collect(
                    Collectors.groupingBy(
                        listener -> String.valueOf(listener.get("node")),
                        LinkedHashMap::new,
                        Collectors.toList())),
        "feature_flags", flags);
  }

  private String clusterText(List<Map<String, Object>> nodes, List<Map<String, Object>> flags) {
    Sections text = new Sections();
    text.section("Basics")
        .line("Cluster name: %s", overview.get("cluster_name"))
        .line(
            "Total CPU cores available cluster-wide: %d",
            runningOnly(nodes).stream()
                .mapToLong(node -> ControlValues.number(node, "processors"))
                .sum());
    text.section("Disk Nodes");
    names(nodes).forEach(node -> text.line("%s", node));
    text.section("Running Nodes");
    running(nodes).forEach(node -> text.line("%s", node));
    text.section("Versions");
    runningOnly(nodes)
        .forEach(
            node ->
                text.line(
                    "%s: %s %s on %s",
                    node.get("name"),
                    overview.get("product_name"),
                    node.get("product_version"),
                    node.get("erlang_full_version")));
    text.section("CPU Cores");
    runningOnly(nodes)
        .forEach(
            node ->
                text.line(
                    "Node: %s, available CPU cores: %s", node.get("name"), node.get("processors")));
    text.section("Maintenance status");
    nodes.forEach(node -> text.line("Node: %s, status: %s", node.get("name"), maintenance(node)));
    text.section("Alarms").any(alarms(nodes));
    text.section("Network Partitions").any(List.of());
    text.section("Listeners");
    objects(overview.get("listeners"))
        .forEach(
            listener ->
                text.line(
                    "Node: %s, interface: %s, port: %s, protocol: %s, purpose: %s",
                    listener.get("node"),
                    listener.get("ip_address"),
                    listener.get("port"),
                    listener.get("protocol"),
                    purpose(listener)));
    text.section("Feature flags");
    flags.forEach(flag -> text.line("Flag: %s, state: %s", flag.get("name"), flag.get("state")));
    return text.toString();
  }

  private String size(Object bytes) {
    if (!(bytes instanceof Number number)) {
      return "unknown";
    }
    if (unit.equals("bytes")) {
      return number.longValue() + " bytes";
    }
    double divisor = unit.equals("mb") ? 1e6 : 1e9;
    String name = unit.equals("mb") ? "mb" : "gb";
    return String.format(Locale.ROOT, "%.4f %s", number.doubleValue() / divisor, name)
        .replaceFirst("(\\.[0-9]+?)0+ ", "$1 ");
  }

  /** Titles with lines below them, as RabbitMQ lays them out. */
  private static final class Sections {
    private final StringBuilder text = new StringBuilder();

    Sections section(String title) {
      text.append(text.length() == 0 ? "" : "\n").append(title).append("\n\n");
      return this;
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a library of its own
    Sections line(String format, Object... arguments) {
      text.append(format.formatted(arguments)).append('\n');
      return this;
    }

    Sections items(Object list) {
      if (list instanceof List<?> all) {
        all.forEach(item -> line(" * %s", item));
      }
      return this;
    }

    Sections any(List<String> lines) {
      (lines.isEmpty() ? List.of("(none)") : lines).forEach(each -> line("%s", each));
      return this;
    }

    @Override
    public String toString() {
      return text.toString().stripTrailing();
    }
  }
}
