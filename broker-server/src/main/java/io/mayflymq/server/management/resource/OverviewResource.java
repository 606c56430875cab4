package io.mayflymq.server.management.resource;

import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.config.Tags;
import io.mayflymq.server.config.TlsSettings;
import io.mayflymq.server.connection.ClusterName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.logging.LogTail;
import io.mayflymq.server.logging.Logging;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.ClusterOverview;
import io.mayflymq.server.management.cluster.NodeQuestion;
import io.mayflymq.server.management.json.Erlang;
import io.mayflymq.server.management.json.History;
import io.mayflymq.server.management.json.MemoryBreakdown;
import io.mayflymq.server.management.json.Node;
import io.mayflymq.server.management.json.Statistics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The broker as a whole, and its nodes. */
public final class OverviewResource {
  private static final int USUAL_LINES = 100;
  private static final int MOST_LINES = 1_000;

  private final ManagedBroker managed;
  private final Node node;
  private final ResourceMonitors monitors;
  private final Tags tags;

  /**
   * @param tags what operators say of the cluster and of the node
   */
  public OverviewResource(ManagedBroker managed, Node node, ResourceMonitors monitors, Tags tags) {
    this.managed = managed;
    this.tags = tags;
    this.node = node;
    this.monitors = monitors;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("overview", this::overview)
        .get("version", request -> Response.ok(managed.broker().dialect().version()))
        .get("nodes", this::nodes)
        .get("nodes/{node}", this::node)
        .get("nodes/{node}/memory", request -> ofNode(request, this::memory))
        .get("nodes/{node}/memory/relative", request -> ofNode(request, this::relativeMemory))
        .delete("nodes/{node}", this::forget)
        .get("nodes/{node}/log", request -> ofNode(request, this::log))
        .get("changes", OverviewResource::changes)
        .delete("reset", managed.nodes().everywhere(this::reset))
        .delete("reset/{node}", request -> ofNode(request, this::reset));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    questions
        .get("overview", request -> Response.ok(here(request)))
        .get("nodes/{node}", request -> Response.ok(object()))
        .get("nodes/{node}/memory", this::memory)
        .get("nodes/{node}/memory/relative", this::relativeMemory)
        .get("nodes/{node}/log", this::log)
        .delete("reset", this::reset)
        .delete("reset/{node}", this::reset);
  }

  /** Answers a request about a node: here, or as that node does. */
  private Response ofNode(Request request, RequestRouter.Handler here) {
    String name = request.parameter("node");
    if (name.equals(NodeName.value()) || members().stream().noneMatch(isNamed(name))) {
      return here.handle(request);
    }
    return managed
        .nodes()
        .answerOf(name, request)
        .orElseThrow(
            () -> new ApiException(503, "timeout", "node %s does not answer".formatted(name)));
  }

  private static Predicate<Cluster.Peer> isNamed(String name) {
    return member -> member.name().equals(name);
  }

  private static Response changes(Request request) {
    request.principal().requireMonitor();
    boolean seesAll = request.principal().isAdministrator();
    return Response.ok(
        Logging.latestChanges().stream()
            .filter(change -> seesAll || !change.forAdministrators())
            .map(change -> Json.object("timestamp", change.atMillis(), "change", change.text()))
            .toList());
  }

  /** Forgets the samples of the past, as RabbitMQ does; counters keep their values. */
  private Response reset(Request request) {
    request.principal().requireAdministrator();
    if (request.parameter("node") != null) {
      requireThisNode(request);
    }
    managed.broker().virtualHosts().forEach(vhost -> vhost.metrics().forgetHistory());
    return Response.noContent();
  }

  private Response overview(Request request) {
    Map<String, Object> object = here(request);
    if (members().size() > 1) {
      Map<String, Map<String, Object>> others = managed.nodes().objects(NodeQuestion.of(request));
      List<String> missing =
          members().stream()
              .map(Cluster.Peer::name)
              .filter(name -> !name.equals(NodeName.value()) && !others.containsKey(name))
              .toList();
      object = ClusterOverview.of(object, List.copyOf(others.values()), missing);
    }
    return Response.ok(Listing.columns(request, object));
  }

  /** Returns the overview of this node. */
  private Map<String, Object> here(Request request) {
    List<VirtualHost> vhosts = managed.vhosts(request.principal());
    History history = History.of(request);
    List<Counts> queueCounts = queueCounts(vhosts);
    ManagedBroker.Open open = managed.open(request.principal(), vhosts);
    Map<String, Object> object =
        Json.object(
            "management_version",
            managed.broker().dialect().version(),
            "rates_mode",
            "basic",
            "sample_retention_policies",
            History.RETENTION,
            "exchange_types",
            exchangeTypes(),
            "product_version",
            BuildInfo.version(),
            "product_name",
            BuildInfo.PRODUCT,
            "rabbitmq_version",
            managed.broker().dialect().version(),
            "cluster_name",
            ClusterName.of(managed.administration().globalParameters()),
            // Not Erlang; what a few readers want to see here is a text.
            "erlang_version",
            "none",
            "erlang_full_version",
            runtime(),
            "crypto_lib_version",
            runtime(),
            "default_queue_type",
            managed.broker().defaultQueueType().wireName(),
            "cluster_tags",
            tags.cluster(),
            "node_tags",
            tags.node(),
            "is_op_policy_updating_enabled",
            true,
            "require_definition_json_extension",
            false,
            "disable_stats",
            false,
            "enable_queue_totals",
            false,
            "message_stats",
            Statistics.ofVhosts(channelCounts(vhosts), queueCounts, history),
            "churn_rates",
            Statistics.ofChurn(managed.broker().churn(), history),
            "queue_totals",
            queueTotals(queueCounts, open.queues(), history),
            "object_totals",
            objectTotals(vhosts, open),
            "statistics_db_event_queue",
            0,
            "node",
            NodeName.value());
    if (!open.complete()) {
      object.put(ManagedBroker.INCOMPLETE, true);
    }
    managed.manualTime().ifPresent(time -> object.put("manual_clock_ms", time.now()));
    if (request.principal().isMonitor()) {
      object.put("listeners", node.listeners().stream().map(OverviewResource::listener).toList());
      object.put("contexts", contexts());
    }
    return object;
  }

  private static List<Counts> channelCounts(List<VirtualHost> vhosts) {
    return vhosts.stream().<Counts>map(vhost -> vhost.metrics().channels().snapshot()).toList();
  }

  private static List<Counts> queueCounts(List<VirtualHost> vhosts) {
    return vhosts.stream().<Counts>map(vhost -> vhost.metrics().queues().snapshot()).toList();
  }

  private static Map<String, Object> queueTotals(
      List<Counts> counts, QueueSizes queues, History history) {
    Map<String, Object> totals = new LinkedHashMap<>();
    Statistics.putQueueTotals(totals, queues, Statistics.Totals.of(counts), history);
    return totals;
  }

  private static Map<String, Object> objectTotals(
      List<VirtualHost> vhosts, ManagedBroker.Open open) {
    return Json.object(
        "channels", open.channels(),
        "connections", open.connections(),
        "consumers", open.queues().consumers(),
        "exchanges", vhosts.stream().mapToInt(vhost -> vhost.routing().exchangeCount()).sum(),
        "queues", vhosts.stream().mapToInt(vhost -> vhost.routing().queueCount()).sum());
  }

  private static List<Map<String, Object>> exchangeTypes() {
    return Arrays.stream(ExchangeType.values())
        .map(
            type ->
                Json.object(
                    "name", type.wireName(),
                    "description", type.description(),
                    "enabled", true))
        .toList();
  }

  private static Map<String, Object> listener(Node.Listener listener) {
    return Json.object(
        "node", NodeName.value(),
        "protocol", listener.protocol(),
        "ip_address", listener.address().getAddress().getHostAddress(),
        "port", listener.address().getPort(),
        "tls", listener.tls() != null,
        "socket_opts", Map.of());
  }

  private List<Map<String, Object>> contexts() {
    return node.listeners().stream()
        .filter(Node.Listener::isOfApi)
        .map(
            listener ->
                Json.object(
                    "ssl_opts",
                    sslOptions(listener.tls()),
                    "node",
                    NodeName.value(),
                    "description",
                    "MayflyMQ Management",
                    "path",
                    "/",
                    "ip",
                    listener.address().getAddress().getHostAddress(),
                    "port",
                    Integer.toString(listener.address().getPort()),
                    "cowboy_opts",
                    "[]"))
        .toList();
  }

  /** Returns the files of a listener's certificates; an empty list if it speaks no TLS. */
  private static Object sslOptions(TlsSettings tls) {
    if (tls == null) {
      return List.of();
    }
    Map<String, Object> options = Json.object();
    tls.authorities().ifPresent(file -> options.put("cacertfile", file.toString()));
    tls.certificate().ifPresent(file -> options.put("certfile", file.toString()));
    tls.key().ifPresent(file -> options.put("keyfile", file.toString()));
    return options;
  }

  private Response nodes(Request request) {
    request.principal().requireMonitor();
    Map<String, Map<String, Object>> others = managed.nodes().each(request, "nodes");
    return Listing.of(
            members().stream()
                .map(
                    member ->
                        member.name().equals(NodeName.value())
                            ? object()
                            : others.getOrDefault(member.name(), unknown(member)))
                .toList())
        .answer(request);
  }

  private Response node(Request request) {
    request.principal().requireMonitor();
    String name = request.parameter("node");
    if (name.equals(NodeName.value())) {
      return Response.ok(Listing.columns(request, object()));
    }
    Cluster.Peer member =
        members().stream()
            .filter(isNamed(name))
            .findFirst()
            .orElseThrow(() -> ApiException.notFound(Missing.other("node", name)));
    Map<String, Object> object =
        managed
            .nodes()
            .answerOf(name, request)
            .filter(answer -> answer.status() == 200 && answer.body() instanceof Map)
            .map(answer -> Json.asObject((Map<?, ?>) answer.body()))
            .orElseGet(() -> unknown(member));
    return Response.ok(Listing.columns(request, object));
  }

  /** Returns the nodes by name. */
  private List<Cluster.Peer> members() {
    return managed
        .broker()
        .cluster()
        .map(Cluster::nodes)
        .orElseGet(
            () -> List.of(new Cluster.Peer(NodeName.value(), true, node.drained().getAsBoolean())))
        .stream()
        .sorted(Comparator.comparing(Cluster.Peer::name))
        .toList();
  }

  /** Of a node that does not answer it is only known whether it is there. */
  private static Map<String, Object> unknown(Cluster.Peer member) {
    return Json.object(
        "name", member.name(),
        "type", "disc",
        "running", member.isReachable(),
        "being_drained", member.isDrained(),
        "partitions", List.of());
  }

  private Response forget(Request request) {
    request.principal().requireAdministrator();
    Cluster cluster =
        managed
            .broker()
            .cluster()
            .orElseThrow(() -> ApiException.badRequest("this node is not a member of a cluster"));
    Futures.await(cluster.forget(request.parameter("node")));
    return Response.noContent();
  }

  private Response memory(Request request) {
    requireThisNode(request);
    return Response.ok(Map.of("memory", breakdown()));
  }

  private Response relativeMemory(Request request) {
    requireThisNode(request);
    return Response.ok(Map.of("memory", MemoryBreakdown.relative(breakdown())));
  }

  /** Returns the last lines of the log, or those after the first {@code after} ones. */
  private Response log(Request request) {
    request.principal().requireAdministrator();
    requireThisNode(request);
    LogTail tail =
        request.query("after") == null
            ? Logging.last((int) request.number("lines", USUAL_LINES, 0, MOST_LINES))
            : Logging.after(request.number("after", 0, 0, Long.MAX_VALUE));
    return Response.ok(Json.object("lines", tail.lines(), "count", tail.count()));
  }

  private Map<String, Object> breakdown() {
    long queues =
        managed.answeringQueues(managed.broker().virtualHosts()).views().stream()
            .mapToLong(view -> view.contents().memoryBytes().orElse(0))
            .sum();
    return MemoryBreakdown.of(managed.clientMemory().total(), queues);
  }

  private static void requireThisNode(Request request) {
    request.principal().requireMonitor();
    if (!request.parameter("node").equals(NodeName.value())) {
      throw ApiException.notFound(Missing.other("node", request.parameter("node")));
    }
  }

  private static String runtime() {
    return "Java " + Runtime.version();
  }

  /** Returns what does not work, in a few words each, beside scarce memory and disk. */
  private List<String> troubles() {
    return managed.alarms().raised().stream()
        .filter(alarm -> alarm instanceof Alarm.Fault || alarm instanceof Alarm.Failure)
        .map(Alarm::source)
        .toList();
  }

  private boolean isRaised(Alarm.Resource alarm) {
    List<Alarm> raised = managed.alarms().raised();
    return raised.contains(alarm) || raised.contains(new Alarm.ByHand(alarm));
  }

  private Map<String, Object> object() {
    List<Object> logFiles = new ArrayList<>();
    logFiles.add("<stdout>");
    if (node.logFile() != null) {
      logFiles.add(node.logFile().toString());
    }
    Map<String, Object> object =
        Json.object(
            "name", NodeName.value(),
            "type", "disc",
            "running", true,
            "partitions", List.of(),
            "os_pid", Long.toString(ProcessHandle.current().pid()),
            "uptime", Node.uptimeMillis(),
            "processors", Runtime.getRuntime().availableProcessors(),
            "run_queue", 0,
            "rates_mode", "basic",
            "mem_used", Node.memoryUsed(),
            "mem_limit", monitors.memoryHighWatermark(),
            "contained_faults", managed.broker().shards().get(0).faults().containedCount(),
            "failures", troubles(),
            "mem_alarm", isRaised(Alarm.Resource.MEMORY),
            "mem_calculation_strategy", "rss",
            "disk_free", node.diskFree(),
            "disk_free_limit", monitors.diskFreeLimit(),
            "disk_free_alarm", isRaised(Alarm.Resource.DISK),
            "sockets_used", managed.connectionCount(),
            "sockets_total", Node.fileDescriptors().get("fd_total"),
            "cluster_name", ClusterName.of(managed.administration().globalParameters()),
            "gc_num", Node.garbageCollections(),
            "exchange_types", exchangeTypes(),
            "auth_mechanisms",
                node.mechanisms().stream()
                    .map(
                        name ->
                            Json.object(
                                "name",
                                name,
                                "description",
                                "SASL %s authentication mechanism".formatted(name),
                                "enabled",
                                true))
                    .toList(),
            "being_drained", node.drained().getAsBoolean(),
            "product_version", BuildInfo.version(),
            "rabbitmq_version", managed.broker().dialect().version(),
            "erlang_version", "none",
            "erlang_full_version", runtime(),
            "crypto_lib_version", runtime(),
            // Clients look here for the version of the broker.
            "applications",
                List.of(
                    Json.object(
                        "name",
                        "rabbit",
                        "description",
                        BuildInfo.PRODUCT,
                        "version",
                        managed.broker().dialect().version())),
            "contexts", contexts(),
            "log_files", logFiles,
            "db_dir", node.dataDir().toString(),
            "config_files", node.configFiles().stream().map(Path::toString).toList(),
            "enabled_plugins", BuildInfo.PLUGINS,
            "cluster_links", List.of());
    object.putAll(Node.fileDescriptors());
    object.putAll(Node.threads());
    object.putAll(Node.storage(managed.stores()));
    object.putAll(Statistics.ofChurn(managed.broker().churn(), History.NONE));
    Erlang.putOfNode(object);
    return object;
  }
}
