package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.channel.DeclareChecks;
import io.mayflymq.server.channel.GeneratedNames;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.NodeQuestion;
import io.mayflymq.server.management.cluster.QueueRow;
import io.mayflymq.server.management.cluster.QueueRows;
import io.mayflymq.server.management.json.History;
import io.mayflymq.server.management.json.PathNames;
import io.mayflymq.server.management.json.QueueFields;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Queues: listed, declared, purged, deleted. */
public final class QueueResource {
  private static final QueueOrder.By BY_NAME = new QueueOrder.By("", false);
  private static final QueueOrder.Keys NO_KEYS = (queues, field) -> List.of();

  private static final int OK = 200;
  private static final String REPLICATED = "replicated";
  private static final String CONVERTING = "converting";
  private static final String FAILURE = "failure";

  private final ManagedBroker managed;
  private final QueueRows rows;
  private final QueueOrder order = new QueueOrder(System::nanoTime);

  public QueueResource(ManagedBroker managed) {
    this.managed = managed;
    this.rows =
        new QueueRows(
            managed.nodes(), managed::snapshots, managed.broker()::virtualHost, Futures::await);
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    rows.addTo(questions);
    questions
        .get("queues/{vhost}/{queue}", this::getHere)
        .put("queues/{vhost}/{queue}", this::declare)
        .get("queues/{vhost}/{queue}/move", this::moveState)
        .post("queues/{vhost}/{queue}/move", this::move)
        .get("queues/{vhost}/{queue}/convert", request -> Response.ok(conversionHere(request)))
        .post("queues/{vhost}/{queue}/convert", this::convert);
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("queues", request -> list(request, managed.vhosts(request.principal())))
        // RabbitMQ leaves out of the plain list what it took long to collect; here it is the same.
        .get("queues/detailed", request -> list(request, managed.vhosts(request.principal())))
        .get("queues/{vhost}", request -> list(request, List.of(managed.visibleVhost(request))))
        .get("queues/{vhost}/{queue}", this::get)
        .get("users/{user}/queues", this::listDeclared)
        .put(
            "queues/{vhost}/{queue}",
            request -> managed.onNamedNode(request, () -> declare(request)))
        .delete("queues/{vhost}/{queue}", this::delete)
        .delete("queues/{vhost}/{queue}/contents", this::purge)
        .get("queues/{vhost}/{queue}/move", managed.atHome(this::moveState))
        .post("queues/{vhost}/{queue}/move", managed.atHome(this::move))
        .get("queues/{vhost}/{queue}/convert", this::conversion)
        .post("queues/{vhost}/{queue}/convert", this::convertAtHome)
        .post("queues/{vhost}/{queue}/actions", this::act);
  }

  private Response list(Request request, Collection<VirtualHost> vhosts) {
    return request.query("page") == null
        ? list(request, order.of(vhosts, BY_NAME, NO_KEYS))
        : page(request, vhosts);
  }

  private Response list(Request request, List<Queue> queues) {
    return Listing.of(rows.of(queues, request), row -> row.queue().name(), QueueRow::object)
        .sortedBy(QueueRow::key)
        .answer(request);
  }

  /** Lists what a user has declared, who may be deleted since then: so there need be no such. */
  private Response listDeclared(Request request) {
    String user = request.parameter("user");
    return list(
        request,
        order.of(managed.vhosts(request.principal()), BY_NAME, NO_KEYS).stream()
            .filter(queue -> user.equals(queue.definition().declaredBy()))
            .toList());
  }

  /** Only the queues of the page are asked, if their order is known. */
  private Response page(Request request, Collection<VirtualHost> vhosts) {
    String sort = request.query("sort");
    QueueOrder.By by = new QueueOrder.By(sort == null ? "" : sort, request.flag("sort_reverse"));
    return Listing.pageOf(
        request,
        order.of(vhosts, by, (queues, field) -> rows.keys(queues, field, request)),
        Queue::name,
        queues -> Listing.lazy(by.sort(rows.of(queues, request)), QueueRow::object));
  }

  private Response get(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String name = request.parameter("queue");
    Queue queue = vhost.routing().queue(name);
    if (queue != null && !queue.isHere()) {
      return managed
          .nodes()
          .answerOf(queue.home().node(), request)
          .orElseGet(() -> Response.ok(Listing.columns(request, QueueFields.down(queue))));
    }
    return getHere(request);
  }

  /** Another node that asks knows that the queue is here. */
  private Response getHere(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    return Response.ok(
        Listing.columns(
            request,
            QueueFields.alone(
                managed.queue(vhost, request.parameter("queue")),
                History.of(request),
                managed.consumerTimeoutMillis())));
  }

  private Response declare(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    String name = GeneratedNames.clean(request.parameter("queue"));
    if (name.isEmpty()) {
      throw ApiException.badRequest("the name of a queue should have more than line breaks");
    }
    Body.Fields fields = request.body().fields();
    FieldTable arguments = fields.table("arguments");
    boolean durable = fields.bool("durable");
    boolean autoDelete = fields.bool("auto_delete");
    PathNames.check("queue", name);
    DeclareChecks.queue(managed.access(request.principal(), vhost), vhost, name, arguments);
    boolean isNew = vhost.routing().queue(name) == null;
    Futures.await(
        vhost.declareQueue(
            new QueueDeclaration(
                name,
                durable,
                false,
                autoDelete,
                arguments,
                request.principal(),
                managed.broker().shards().get(0),
                false,
                true)));
    return Response.put(isNew);
  }

  private Response delete(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    Queue queue = managed.usableQueue(request, Permission.CONFIGURE);
    Futures.await(
        vhost.deleteQueue(
            queue.name(),
            request.principal(),
            request.flag("if-unused"),
            request.flag("if-empty")));
    return Response.noContent();
  }

  private Response purge(Request request) {
    Futures.await(managed.usableQueue(request, Permission.READ).requests().purge());
    return Response.noContent();
  }

  /** Begins to move a queue of this node; how that goes is asked for then. */
  private Response move(Request request) {
    Queue queue = managed.usableQueue(request, Permission.CONFIGURE);
    VirtualHost vhost = managed.usableVhost(request);
    String node = request.body().fields().require("node").requiredText("node");
    CompletableFuture<Void> moved = vhost.moveQueue(queue.name(), node);
    if (moved.isDone()) {
      Futures.await(moved);
    }
    return moveState(request);
  }

  private Response moveState(Request request) {
    Queue queue = find(request);
    VirtualHost vhost = managed.visibleVhost(request);
    return Response.ok(
        Json.object(
            "node", queue.isHere() ? NodeName.value() : queue.home().node(),
            "moving", vhost.isMoving(queue.name()),
            "failure", vhost.moveFailure(queue.name())));
  }

  private Queue find(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String name = request.parameter("queue");
    Queue queue = vhost.routing().queue(name);
    if (queue == null) {
      throw ApiException.notFound(Missing.queue(vhost, name));
    }
    return queue;
  }

  private Response convertAtHome(Request request) {
    Response begun = managed.atHome(this::convert).handle(request);
    return begun.status() == OK ? conversion(request) : begun;
  }

  /** Begins to make a queue of this node a quorum queue; how that goes is asked for then. */
  private Response convert(Request request) {
    Queue queue = managed.usableQueue(request, Permission.CONFIGURE);
    VirtualHost vhost = managed.usableVhost(request);
    String type = request.body().fields().require("to").requiredText("to");
    if (!type.equals(QueueType.QUORUM.wireName())) {
      throw ApiException.badRequest(
          "queues are not converted to type '%s': expected %s"
              .formatted(type, QueueType.QUORUM.wireName()));
    }
    CompletableFuture<Void> converted = vhost.convertQueue(queue.name());
    if (converted.isDone()) {
      Futures.await(converted);
    }
    return Response.ok(conversionHere(request));
  }

  /**
   * Tells how the conversion of a queue goes. The node that converts it goes on, with its own dead
   * letter queue, when its replicas are led elsewhere. So all nodes are asked, and it is under way
   * as long as one converts it, or has not heard of its end.
   */
  private Response conversion(Request request) {
    Map<String, Object> told = conversionHere(request);
    NodeQuestion question =
        new NodeQuestion(
            "GET",
            request.path(),
            request.parameters(),
            Map.of(),
            Map.of(),
            null,
            request.principal());
    for (Map<String, Object> other : managed.nodes().objects(question).values()) {
      if (Boolean.TRUE.equals(other.get(CONVERTING))
          || !told.get(REPLICATED).equals(other.get(REPLICATED))) {
        told.put(CONVERTING, true);
      }
      if (told.get(FAILURE) == null) {
        told.put(FAILURE, other.get(FAILURE));
      }
    }
    return Response.ok(told);
  }

  /** What this node knows of it. */
  private Map<String, Object> conversionHere(Request request) {
    Queue queue = find(request);
    VirtualHost vhost = managed.visibleVhost(request);
    return Json.object(
        "type",
        queue.definition().settings().type().wireName(),
        REPLICATED,
        queue.isReplicated(),
        CONVERTING,
        vhost.isMoving(queue.name()),
        FAILURE,
        vhost.moveFailure(queue.name()));
  }

  /** Accepts RabbitMQ's actions on a mirrored queue, which have no effect here. */
  private Response act(Request request) {
    request.principal().requireAdministrator();
    find(request);
    Object action = request.body().fields().require("action").get("action");
    if (!"sync".equals(action) && !"cancel_sync".equals(action)) {
      throw ApiException.badRequest(List.of("unknown", String.valueOf(action)));
    }
    return Response.noContent();
  }
}
