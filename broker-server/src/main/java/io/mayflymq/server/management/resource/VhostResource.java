package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.Checks;
import io.mayflymq.core.admin.VhostAdministration;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.CounterGroup;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.NodeSums;
import io.mayflymq.server.management.json.History;
import io.mayflymq.server.management.json.Statistics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Virtual hosts, with what happens in them. Administrators add, change and delete them. */
public final class VhostResource {
  private static final String NO_QUEUE_TYPE = "undefined";
  private static final String PROTECTED = "protected_from_deletion";

  private final ManagedBroker managed;
  private final NodeSums<VirtualHost> list;
  private final NodeSums<VirtualHost> one;

  public VhostResource(ManagedBroker managed) {
    this.managed = managed;
    this.list = counts("vhosts", request -> History.NONE);
    this.one = counts("vhost", History::of);
  }

  private NodeSums<VirtualHost> counts(String kind, Function<Request, History> history) {
    return new NodeSums<>(
        new NodeSums.Kind<>(
            kind,
            VirtualHost::name,
            VirtualHost::name,
            (request, vhosts) -> objects(vhosts, history.apply(request)),
            (request, names) -> objectsByName(request, names, history.apply(request))),
        managed.nodes());
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("vhosts", this::list)
        .get("vhosts/{vhost}", this::get)
        .put("vhosts/{vhost}", this::put)
        .delete("vhosts/{vhost}", this::delete)
        .post("vhosts/{vhost}/deletion/protection", request -> protect(request, true))
        .delete("vhosts/{vhost}/deletion/protection", request -> protect(request, false))
        .put("vhosts/{vhost}/compatibility", this::setDialect)
        .delete("vhosts/{vhost}/compatibility", this::clearDialect)
        .put("vhosts/{vhost}/tracing", this::trace)
        .post("vhosts/{vhost}/start/{node}", this::start);
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    list.addTo(questions);
    one.addTo(questions);
  }

  private VhostAdministration vhosts() {
    return managed.administration().vhosts();
  }

  /**
   * Adds or changes a virtual host. Fields that the request does not give are reset; limits and the
   * dialect are kept.
   */
  private Response put(Request request) {
    request.principal().requireAdministrator();
    Body.Fields fields = request.body().fields();
    VhostDefinition wanted =
        new VhostDefinition(
            request.parameter("vhost"),
            fields.text("description", ""),
            fields.tags(),
            wantedQueueType(fields),
            fields.has("compatibility")
                ? Optional.of(Checks.dialect(fields.text("compatibility", "")))
                : Optional.empty(),
            Limits.NONE,
            false);
    requireSameProtection(wanted.name(), fields);
    // All is read before anything is changed.
    boolean tells = fields.has("tracing");
    boolean traces = tells && fields.bool("tracing");
    boolean isNew = Futures.await(vhosts().put(wanted));
    if (tells) {
      trace(wanted.name(), traces);
    }
    if (isNew) {
      managed.permitEverything(request.principal(), wanted.name());
    }
    return Response.put(isNew);
  }

  /**
   * Checks that a request asks for no other protection than there is. RabbitMQ takes no notice of
   * it here; its clients would believe to have it.
   */
  private void requireSameProtection(String name, Body.Fields fields) {
    VirtualHost present = managed.broker().virtualHost(name);
    boolean has = present != null && present.definition().protectedFromDeletion();
    Object metadata = fields.get("metadata");
    Body.Fields more = new Body.Fields(metadata instanceof Map<?, ?> object ? object : Map.of());
    for (Body.Fields given : List.of(fields, more)) {
      if (given.has(PROTECTED) && given.bool(PROTECTED) != has) {
        throw ApiException.badRequest(
            "%s is %s: it is changed by %s of vhosts/{name}/deletion/protection"
                .formatted(PROTECTED, has, has ? "DELETE" : "POST"));
      }
    }
  }

  private Response setDialect(Request request) {
    request.principal().requireAdministrator();
    Dialect wanted = Checks.dialect(request.body().fields().require("value").text("value", ""));
    Futures.await(vhosts().setDialect(request.parameter("vhost"), Optional.of(wanted)));
    return Response.noContent();
  }

  private Response clearDialect(Request request) {
    request.principal().requireAdministrator();
    Futures.await(vhosts().setDialect(request.parameter("vhost"), Optional.empty()));
    return Response.noContent();
  }

  private Response trace(Request request) {
    request.principal().requireAdministrator();
    trace(request.parameter("vhost"), request.body().fields().require("enabled").bool("enabled"));
    return Response.noContent();
  }

  private void trace(String name, boolean on) {
    VirtualHost vhost = managed.broker().virtualHost(name);
    if (vhost == null) {
      throw ApiException.notFound(Missing.other("vhost", name));
    }
    vhost.firehose().turn(on);
  }

  private Response delete(Request request) {
    request.principal().requireAdministrator();
    Futures.await(vhosts().delete(request.parameter("vhost")));
    return Response.noContent();
  }

  private Response protect(Request request, boolean wanted) {
    request.principal().requireAdministrator();
    Futures.await(vhosts().protect(request.parameter("vhost"), wanted));
    return Response.noContent();
  }

  /** Virtual hosts are always started, so there is nothing to do. */
  private Response start(Request request) {
    request.principal().requireAdministrator();
    String node = request.parameter("node");
    String vhost = request.parameter("vhost");
    if (!node.equals(NodeName.value())) {
      throw ApiException.badRequest("Request to node %s failed with nodedown".formatted(node));
    }
    if (managed.broker().virtualHost(vhost) == null) {
      throw ApiException.badRequest(
          "Request to node %s failed with {no_such_vhost,<<\"%s\">>}".formatted(node, vhost));
    }
    return Response.noContent();
  }

  private Response list(Request request) {
    return list.answer(request, managed.vhosts(request.principal()));
  }

  private Response get(Request request) {
    List<VirtualHost> wanted = List.of(managed.visibleVhost(request));
    return Response.ok(Listing.columns(request, one.objects(request, wanted).get(0)));
  }

  private List<Map<String, Object>> objects(List<VirtualHost> vhosts, History history) {
    ShardQuery.Seen<QueueSnapshot> seen = managed.answeringQueues(vhosts);
    Map<QueueHost, List<QueueSizes>> queues =
        seen.views().stream()
            .collect(
                Collectors.groupingBy(
                    view -> view.queue().vhost(),
                    Collectors.mapping(view -> view.contents().sizes(), Collectors.toList())));
    Map<String, Long> memory = managed.clientMemory().byVhost();
    return Listing.lazy(
        vhosts,
        vhost -> {
          Map<String, Object> object =
              object(
                  vhost,
                  QueueSizes.sum(queues.getOrDefault(vhost, List.of())),
                  seen.complete(),
                  history);
          object.put("memory", memory.getOrDefault(vhost.name(), 0L));
          return object;
        });
  }

  /** Answers another node. It takes only the numbers. */
  private Map<String, Map<String, Object>> objectsByName(
      Request request, List<String> names, History history) {
    Set<String> wanted = Set.copyOf(names);
    List<VirtualHost> vhosts =
        managed.vhosts(request.principal()).stream()
            .filter(vhost -> wanted.contains(vhost.name()))
            .toList();
    return objects(vhosts, history).stream()
        .collect(Collectors.toMap(object -> object.get("name").toString(), object -> object));
  }

  /** Returns the type that queues without one get, or an empty text for that of the broker. */
  private static String wantedQueueType(Body.Fields fields) {
    String type = fields.text("default_queue_type", NO_QUEUE_TYPE);
    if (type.isEmpty()) {
      throw ApiException.badRequest("default_queue_type must not be an empty string");
    }
    return type.equals(NO_QUEUE_TYPE) ? "" : Checks.queueType(type);
  }

  private Map<String, Object> object(
      VirtualHost vhost, QueueSizes queues, boolean complete, History history) {
    CounterGroup traffic = vhost.metrics().connections();
    VhostDefinition definition = vhost.definition();
    String queueType = managed.broker().defaultQueueType().wireName();
    Map<String, Object> metadata =
        Json.object("description", definition.description(), "tags", definition.tags());
    if (!definition.defaultQueueType().isEmpty()) {
      queueType = definition.defaultQueueType();
      metadata.put("default_queue_type", queueType);
    }
    definition.dialect().ifPresent(dialect -> metadata.put("compatibility", dialect.series()));
    if (definition.protectedFromDeletion()) {
      metadata.put(PROTECTED, true);
    }
    Map<String, Object> object =
        Json.object(
            "cluster_state",
            Map.of(NodeName.value(), "running"),
            "compatibility",
            definition.dialect().orElse(managed.broker().dialect()).series(),
            "default_queue_type",
            queueType,
            "description",
            definition.description(),
            "metadata",
            metadata,
            PROTECTED,
            definition.protectedFromDeletion(),
            "tags",
            definition.tags(),
            "message_stats",
            Statistics.ofVhosts(
                List.of(vhost.metrics().channels().snapshot()),
                List.of(vhost.metrics().queues().snapshot()),
                history));
    Statistics.putQueueTotals(object, queues, vhost.metrics().queues(), history);
    if (!complete) {
      object.put(ManagedBroker.INCOMPLETE, true);
    }
    object.put("name", vhost.name());
    Statistics.putBytes(object, "recv_oct", Counter.RECEIVED_BYTES, traffic, history);
    Statistics.putBytes(object, "send_oct", Counter.SENT_BYTES, traffic, history);
    object.put("tracing", vhost.firehose().isOn());
    return object;
  }
}
