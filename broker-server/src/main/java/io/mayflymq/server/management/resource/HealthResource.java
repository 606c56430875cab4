package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.security.NamePattern;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.config.FormationSettings;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.http.Workers;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.Node;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Health checks, for load balancers and supervisors: 200 with {@code "status":"ok"}, or 503 with
 * the reason.
 */
public final class HealthResource {
  private static final int LONGEST_WITHIN = 100_000;
  private static final long SHARD_PATIENCE_SECONDS = 10;

  private final ManagedBroker managed;
  private final Node node;
  private final int targetSize;

  /**
   * @param formation how many nodes the cluster is to have
   */
  public HealthResource(ManagedBroker managed, Node node, FormationSettings formation) {
    this.managed = managed;
    this.node = node;
    this.targetSize = formation.targetSize().orElse(Math.max(1, formation.nodes().size()));
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("aliveness-test/{vhost}", this::aliveness)
        .get(
            "health/checks/alarms",
            request -> alarms("There are alarms in effect in the cluster", alarm -> true))
        .get(
            "health/checks/local-alarms",
            request ->
                alarms(
                    "There are alarms in effect on the node",
                    alarm -> !(alarm instanceof Alarm.OfNode)))
        .get("health/checks/certificate-expiration/{within}/{unit}", this::certificates)
        .get("health/checks/port-listener/{port}", this::portListener)
        .get("health/checks/protocol-listener/{protocol}", this::protocolListener)
        .get("health/checks/virtual-hosts", request -> shardsAnswer())
        .get("health/checks/is-in-service", request -> inService())
        .get(
            "health/checks/ready-to-serve-clients",
            request -> node.drained().getAsBoolean() ? inService() : shardsAnswer())
        .get("health/checks/below-node-connection-limit", request -> belowConnectionLimit())
        // A node answers only after it has read its metadata.
        .get("health/checks/metadata-store/initialized", request -> ok())
        .get("health/checks/metadata-store/initialized/with-data", request -> ok())
        .get(
            "health/checks/quorum-queues-without-elected-leaders/all-vhosts/pattern/{pattern}",
            request -> leaders(request, managed.broker().virtualHosts()))
        .get(
            "health/checks/quorum-queues-without-elected-leaders/vhost/{vhost}/pattern/{pattern}",
            request -> leaders(request, List.of(managed.visibleVhost(request))))
        .open("health/checks/reached-target-cluster-size", this::targetSize)
        .get("health/checks/node-is-mirror-sync-critical", request -> mirrorSyncCritical())
        .get("health/checks/node-is-quorum-critical", request -> quorumCritical())
        .get("healthchecks/node", request -> shardsAnswer())
        .get("healthchecks/node/{node}", request -> shardsAnswer());
  }

  private static Response ok() {
    return Response.ok(Map.of("status", "ok"));
  }

  /** Fails for a reason, with more about it: names and values by turns. */
  private static Response failed(String reason, Object... more) {
    Map<String, Object> body = Json.object("status", "failed", "reason", reason);
    body.putAll(Json.object(more));
    return new Response(503, body, Map.of());
  }

  private Response inService() {
    return node.drained().getAsBoolean() ? failed("the node is in maintenance mode") : ok();
  }

  private static Response singleNode() {
    return Response.ok(Json.object("status", "ok", "reason", "single node cluster"));
  }

  private Response belowConnectionLimit() {
    return managed.connectionCount() < managed.connectionLimit()
        ? ok()
        : failed("node connection limit is reached");
  }

  /** Checks that as many nodes can be reached as the cluster is to have. */
  private Response targetSize() {
    long online =
        managed
            .broker()
            .cluster()
            .map(cluster -> cluster.nodes().stream().filter(Cluster.Peer::isReachable).count())
            .orElse(1L);
    return online >= targetSize
        ? ok()
        : failed(
            "target cluster size not reached: %d of %d nodes are online"
                .formatted(online, targetSize),
            "online",
            online,
            "target",
            targetSize);
  }

  /** Checks that each quorum queue with such a name has a leader that can be reached. */
  private static Response leaders(Request request, Collection<VirtualHost> vhosts) {
    Predicate<String> wanted = pattern(request.parameter("pattern"));
    List<Map<String, Object>> queues =
        vhosts.stream()
            .flatMap(vhost -> vhost.routing().queues().stream())
            .filter(queue -> queue.replicas() != null && !queue.replicas().isLed())
            .filter(queue -> queue.definition().settings().type() == QueueType.QUORUM)
            .filter(queue -> wanted.test(queue.name()))
            .map(HealthResource::named)
            .toList();
    return queues.isEmpty()
        ? ok()
        : failed("Detected quorum queues without an elected leader", "queues", queues);
  }

  private static Predicate<String> pattern(String regularExpression) {
    try {
      return NamePattern.of(regularExpression)::matches;
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("pattern: " + e.getMessage());
    }
  }

  private static Map<String, Object> named(Queue queue) {
    return Json.object(
        "name", queue.name(),
        "readable_name", queue.toString(),
        "virtual_host", queue.vhost().name(),
        "type", "quorum");
  }

  /** Adds how many nodes have it: with one or two, it needs each of them at any time. */
  private static Map<String, Object> withMembers(Queue queue) {
    Map<String, Object> object = named(queue);
    object.put("members", queue.replicas() == null ? 1 : queue.replicas().members().size());
    return object;
  }

  /** There are no mirrors. */
  private Response mirrorSyncCritical() {
    return managed.broker().cluster().isPresent() ? ok() : singleNode();
  }

  /**
   * Checks whether the cluster could go on without this node: whether the other nodes that can be
   * reached are a majority, and so are those of each quorum queue that are in sync. A quorum queue
   * may also be on one node only.
   */
  private Response quorumCritical() {
    List<Cluster.Peer> members = managed.broker().cluster().map(Cluster::nodes).orElse(List.of());
    if (members.size() <= 1) {
      return singleNode();
    }
    long others = members.stream().filter(Cluster.Peer::isReachable).count() - 1;
    if (others <= members.size() / 2) {
      return failed(
          "Without this node %d of the %d nodes of the cluster would be running, which are no majority"
              .formatted(others, members.size()));
    }
    List<Map<String, Object>> queues = criticalQueues();
    return queues.isEmpty()
        ? ok()
        : failed(
            "There are quorum queues that would lose their quorum if the target node is"
                + " shut down",
            "queues",
            queues);
  }

  private List<Map<String, Object>> criticalQueues() {
    return managed.broker().virtualHosts().stream()
        .flatMap(vhost -> vhost.routing().queues().stream())
        .filter(HealthResource::needsThisNode)
        .map(HealthResource::withMembers)
        .toList();
  }

  private static boolean needsThisNode(Queue queue) {
    QueueReplicas replicas = queue.replicas();
    return replicas == null
        ? queue.isLocal() && queue.definition().settings().type() == QueueType.QUORUM
        : replicas.needs(NodeName.value());
  }

  private Response alarms(String reason, Predicate<Alarm> wanted) {
    List<String> raised =
        managed.alarms().raised().stream().filter(wanted).map(this::described).toList();
    return raised.isEmpty() ? ok() : failed(reason, "alarms", raised);
  }

  /** In a cluster it says which node it is of. */
  private String described(Alarm alarm) {
    return alarm instanceof Alarm.OfNode || managed.broker().cluster().isEmpty()
        ? alarm.title()
        : "%s on node %s".formatted(alarm.title(), NodeName.value());
  }

  /** Checks whether the shards of a virtual host's queues answer. */
  private Response aliveness(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    Response alive = shardsAnswer();
    return alive.status() == 200 && vhost.routing().exchange("") == null
        ? failed("virtual host '" + vhost.name() + "' is not there")
        : alive;
  }

  /** Checks whether the stores of messages and metadata work, and each shard answers. */
  private Response shardsAnswer() {
    List<String> failures = managed.alarms().failures();
    if (!failures.isEmpty()) {
      return failed(String.join("; ", failures));
    }
    Shards shards = managed.broker().shards();
    for (int i = 0; i < shards.count(); i++) {
      Shard shard = shards.get(i);
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      shard.execute(() -> answer.complete(true));
      try {
        Workers.await(answer, TimeUnit.SECONDS.toMillis(SHARD_PATIENCE_SECONDS));
      } catch (ExecutionException | TimeoutException e) {
        return failed(
            "shard %d does not answer within %d seconds".formatted(i, SHARD_PATIENCE_SECONDS));
      } catch (Workers.TooManyWaitException e) {
        return failed("many requests wait for what does not answer");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return failed("the broker is stopping");
      }
    }
    return ok();
  }

  private Response certificates(Request request) {
    String unit = request.parameter("unit");
    if (!TlsHealth.UNITS.contains(unit)) {
      throw ApiException.badRequest(
          "Time unit not recognised. Supported units: " + String.join(", ", TlsHealth.UNITS) + ".");
    }
    int within = wholeNumber(request.parameter("within"), "Invalid expiration time");
    if (within < 0 || within > LONGEST_WITHIN) {
      throw ApiException.badRequest("Invalid expiration time");
    }
    Instant end = TlsHealth.end(within, unit);
    List<Map<String, Object>> expiring =
        node.listeners().stream()
            .filter(listener -> listener.tls() != null)
            .flatMap(listener -> expiring(listener, end).stream())
            .toList();
    return expiring.isEmpty() ? ok() : failed("Certificates expiring", "expired", expiring);
  }

  private static Optional<Map<String, Object>> expiring(Node.Listener listener, Instant end) {
    Map<String, Object> files = new TlsHealth(listener.tls()).expiredAt(end);
    if (files.isEmpty()) {
      return Optional.empty();
    }
    Map<String, Object> object =
        Json.object(
            "node", NodeName.value(),
            "protocol", listener.protocol(),
            "interface", listener.address().getAddress().getHostAddress(),
            "port", listener.address().getPort());
    object.putAll(files);
    return Optional.of(object);
  }

  private static int wholeNumber(String text, String otherwise) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw ApiException.badRequest(otherwise);
    }
  }

  private Response portListener(Request request) {
    int port = wholeNumber(request.parameter("port"), "Invalid port");
    List<Integer> ports =
        node.listeners().stream().map(listener -> listener.address().getPort()).toList();
    return ports.contains(port)
        ? Response.ok(Json.object("status", "ok", "port", port))
        : failed("No active listener", "missing", port, "ports", ports);
  }

  /** Checks that there is a listener for each of the protocols, which commas separate. */
  private Response protocolListener(Request request) {
    List<String> protocols =
        node.listeners().stream().map(Node.Listener::protocol).distinct().toList();
    List<String> missing =
        Arrays.stream(request.parameter("protocol").split(",", -1))
            .filter(given -> !protocols.contains(Node.protocol(given)))
            .toList();
    return missing.isEmpty()
        ? Response.ok(Json.object("status", "ok", "protocols", protocols))
        : failed("No active listener", "missing", missing, "protocols", protocols);
  }
}
