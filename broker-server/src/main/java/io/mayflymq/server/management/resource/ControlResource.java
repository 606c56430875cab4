package io.mayflymq.server.management.resource;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.backup.Backup;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.DiskSettings;
import io.mayflymq.server.config.MemorySettings;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.logging.IoReason;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.NodeQuestion;
import io.mayflymq.server.management.json.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations of a running broker that RabbitMQ has on its command line but not in its HTTP API.
 * They are served below {@code /control/}, which is for administrators only, on the loopback
 * address.
 */
public final class ControlResource {
  private static final Logger LOGGER = LoggerFactory.getLogger(ControlResource.class);
  private static final double LARGEST_DISK_FACTOR = 1000;
  private static final String BY_HAND = "by hand";

  private static final String MESSAGE_SIZES = "message-sizes";
  private static final String COUNTS = "counts";
  private static final String FORGET_ANSWERS = "forget-auth-answers";

  private final ManagedBroker managed;
  private final Node node;
  private final ResourceMonitors monitors;
  private final MemorySettings memory;

  /**
   * @param memory what the memory monitor started with
   */
  public ControlResource(
      ManagedBroker managed, Node node, ResourceMonitors monitors, MemorySettings memory) {
    this.managed = managed;
    this.node = node;
    this.monitors = monitors;
    this.memory = memory;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("status", this::status)
        .get(MESSAGE_SIZES, this::messageSizes)
        .get("certificates", request -> Response.ok(certificates()))
        .post("backup", this::takeBackup)
        .post(FORGET_ANSWERS, this::forgetAnswers)
        .put("alarms/{resource}", this::setAlarm)
        .delete("alarms/{resource}", this::clearAlarm)
        .put("vm-memory-high-watermark", this::setMemoryWatermark)
        .put("disk-free-limit", this::setDiskFreeLimit);
  }

  private Response status(Request request) {
    List<VirtualHost> vhosts = managed.vhosts(request.principal());
    Runtime runtime = Runtime.getRuntime();
    return Response.ok(
        Json.object(
            "node", NodeName.value(),
            "product", BuildInfo.PRODUCT,
            "version", BuildInfo.version(),
            "rabbitmq_version", managed.broker().dialect().version(),
            "java", Runtime.version().toString(),
            "pid", ProcessHandle.current().pid(),
            "uptime_ms", Node.uptimeMillis(),
            "processors", runtime.availableProcessors(),
            "shards", managed.broker().shards().count(),
            "data_dir", node.dataDir().toString(),
            "log_file", node.logFile() == null ? null : node.logFile().toString(),
            "memory",
                Json.object(
                    "rss", Node.memoryUsed(),
                    "heap_used", runtime.totalMemory() - runtime.freeMemory(),
                    "heap_committed", runtime.totalMemory(),
                    "heap_max", runtime.maxMemory()),
            "alarms", managed.alarms().raised().stream().map(Alarm::title).toList(),
            "disk_free", node.diskFree(),
            "file_descriptors", Node.fileDescriptors(),
            "listeners",
                node.listeners().stream()
                    .map(
                        listener ->
                            Json.object(
                                "protocol", listener.protocol(),
                                "interface", listener.address().getAddress().getHostAddress(),
                                "port", listener.address().getPort()))
                    .toList(),
            "totals",
                Json.object(
                    "connections", managed.connectionCount(),
                    "queues", vhosts.stream().mapToInt(vhost -> vhost.routing().queueCount()).sum(),
                    "vhosts", vhosts.size())));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter requestRouter) {
    requestRouter
        .get(MESSAGE_SIZES, request -> Response.ok(Json.object(COUNTS, messageSizesHere())))
        .post(FORGET_ANSWERS, this::forgetAnswersHere);
  }

  /** Makes all nodes that can be asked forget what services have answered about a user, or all. */
  private Response forgetAnswers(Request request) {
    List<String> forgetful = new ArrayList<>(List.of(NodeName.value()));
    Response here = forgetAnswersHere(request);
    NodeQuestion question =
        new NodeQuestion(
            "POST",
            List.of(FORGET_ANSWERS),
            Map.of(),
            Map.of(),
            Map.of(),
            here.body(),
            request.principal());
    forgetful.addAll(managed.nodes().objects(question).keySet());
    return Response.ok(Json.object("nodes", forgetful));
  }

  private Response forgetAnswersHere(Request request) {
    request.principal().requireAdministrator();
    String user = request.body().fields().text("user", null);
    managed.logins().forget(user);
    return Response.ok(Json.object("user", user));
  }

  /** How many messages were published to all nodes, by RabbitMQ's buckets for their sizes. */
  private Response messageSizes(Request request) {
    List<Long> counts = new ArrayList<>(messageSizesHere());
    NodeQuestion question =
        new NodeQuestion(
            "GET", List.of(MESSAGE_SIZES), Map.of(), Map.of(), Map.of(), null, request.principal());
    for (Map<String, Object> other : managed.nodes().objects(question).values()) {
      List<?> more = (List<?>) other.get(COUNTS);
      for (int i = 0; i < counts.size(); i++) {
        counts.set(i, counts.get(i) + ((Number) more.get(i)).longValue());
      }
    }
    return Response.ok(Json.object(COUNTS, counts));
  }

  private List<Long> messageSizesHere() {
    Shards shards = managed.broker().shards();
    return Histogram.sum(
            IntStream.range(0, shards.count())
                .mapToObj(shard -> shards.get(shard).histograms().messageSizes())
                .toList())
        .counts();
  }

  private List<Map<String, Object>> certificates() {
    return node.listeners().stream()
        .filter(listener -> listener.tls() != null)
        .map(
            listener ->
                Json.object(
                    "protocol", listener.protocol(),
                    "interface", listener.address().getAddress().getHostAddress(),
                    "port", listener.address().getPort(),
                    "certificates", new TlsHealth(listener.tls()).certificates()))
        .toList();
  }

  private Response takeBackup(Request request) {
    String directory = request.body().fields().requiredText("directory");
    if (!Path.of(directory).isAbsolute()) {
      throw ApiException.badRequest("directory should be absolute, actually was " + directory);
    }
    try {
      LOGGER.info("taking a backup to {}", directory);
      Backup.Report report = managed.backup().take(Path.of(directory));
      LOGGER.info(
          "took a backup to {}: {} files, {} bytes", directory, report.files(), report.bytes());
      return Response.ok(
          Json.object(
              "directory", report.directory().toString(),
              "files", report.files(),
              "bytes", report.bytes(),
              "linked", report.linked(),
              "held_ms", TimeUnit.NANOSECONDS.toMillis(report.heldNanos())));
    } catch (IOException e) {
      LOGGER.warn("the backup to {} was not taken: {}", directory, IoReason.of(e));
      throw new ApiException(
          500,
          "backup_failed",
          "cannot take a backup to %s: %s".formatted(directory, IoReason.of(e)));
    }
  }

  private Response setMemoryWatermark(Request request) {
    Body.Fields fields = request.body().fields();
    if (fields.has("absolute")) {
      monitors.setVmMemoryHighWatermark(
          new MemorySettings(
              memory.relativeWatermark(),
              OptionalLong.of(bytes(fields)),
              memory.pagingRatio(),
              memory.monitorIntervalMillis()));
    } else {
      monitors.setVmMemoryHighWatermark(
          new MemorySettings(
              fraction(fields, 1),
              OptionalLong.empty(),
              memory.pagingRatio(),
              memory.monitorIntervalMillis()));
    }
    return Response.noContent();
  }

  private Response setDiskFreeLimit(Request request) {
    Body.Fields fields = request.body().fields();
    monitors.setDiskFreeLimit(
        fields.has("absolute")
            ? new DiskSettings(bytes(fields), OptionalDouble.empty())
            : new DiskSettings(0, OptionalDouble.of(fraction(fields, LARGEST_DISK_FACTOR))));
    return Response.noContent();
  }

  private static long bytes(Body.Fields fields) {
    long bytes = fields.number("absolute", 0);
    if (bytes < 0) {
      throw ApiException.badRequest(
          "absolute should be a number of bytes, 0 or more, actually was " + bytes);
    }
    return bytes;
  }

  private static double fraction(Body.Fields fields, double most) {
    Object value = fields.require("relative").get("relative");
    if (!(value instanceof Number number)
        || !(number.doubleValue() >= 0 && number.doubleValue() <= most)) {
      throw ApiException.badRequest(
          "relative should be a number from 0 to %s, actually was %s".formatted(most, value));
    }
    return number.doubleValue();
  }

  /**
   * Raises or clears an alarm manually. A manual alarm is independent of the monitors, and stays
   * until it is cleared manually.
   */
  private Response setAlarm(Request request) {
    managed.alarms().raise(new Alarm.ByHand(resource(request)), BY_HAND);
    return Response.noContent();
  }

  private Response clearAlarm(Request request) {
    managed.alarms().clear(new Alarm.ByHand(resource(request)), BY_HAND);
    return Response.noContent();
  }

  private static Alarm.Resource resource(Request request) {
    String name = request.parameter("resource");
    return Arrays.stream(Alarm.Resource.values())
        .filter(resource -> resource.word().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "an alarm should be of memory or disk, actually was %s".formatted(name)));
  }
}
