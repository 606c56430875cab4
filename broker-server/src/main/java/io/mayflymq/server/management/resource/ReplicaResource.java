package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.NodeQuestion;
import io.mayflymq.server.management.json.QuorumStatus;
import io.mayflymq.server.management.json.StreamStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The replicas of quorum queues, under RabbitMQ's paths, and of streams, under paths of the same
 * form. Only administrators may change them.
 *
 * <p>Source: RabbitMQ 4, {@code rabbit_mgmt_wm_quorum_queue_replicas_*}.
 *
 * <p>Queues share partitions. So what is asked for a queue is done to its partition, and with that
 * to all its queues.
 *
 * <p>Requests for many queues change one partition after the other. One that cannot be changed
 * stays as it is, and the answer says why.
 */
public final class ReplicaResource {
  private static final String NODE = "node";
  private static final String ALL = "all";
  private static final String EVEN = "even";
  private static final String STRATEGY = "strategy";
  private static final String COUNT = "count";
  private static final int MOST_REPLICAS = 1_000;
  private static final String OK = "ok";
  private static final String LOG_POSITIONS = "log-positions";

  private final ManagedBroker managed;

  public ReplicaResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    for (QueueType type : List.of(QueueType.QUORUM, QueueType.STREAM)) {
      String queue = "queues/%s/{vhost}/{queue}/".formatted(type.wireName());
      requestRouter
          .get(queue + "status", request -> status(request, type))
          .post(queue + "leader", request -> change(request, type, ReplicaOperations::transfer))
          .post(queue + "replicas/add", request -> change(request, type, ReplicaOperations::add))
          .delete(
              queue + "replicas/delete",
              request -> change(request, type, ReplicaOperations::remove));
    }
    requestRouter
        .post("queues/quorum/replicas/grow", this::growToCount)
        .post("queues/quorum/replicas/on/{node}/grow", this::grow)
        .delete("queues/quorum/replicas/on/{node}/shrink", this::shrink);
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter requestRouter) {
    requestRouter.get(
        LOG_POSITIONS + "/{vhost}/{queue}", request -> Response.ok(positionsHere(queue(request))));
  }

  /** A change of a partition by a node. */
  private interface NodeChange {
    CompletableFuture<Void> of(ReplicaOperations operations, int partition, String node);
  }

  /** A change of a partition. */
  private interface Change {
    CompletableFuture<Void> of(int partition);
  }

  private Broker broker() {
    return managed.broker();
  }

  private ReplicaOperations operations() {
    return broker().cluster().orElseThrow().replicaOperations();
  }

  private Queue queue(Request request) {
    return queue(managed, request);
  }

  /**
   * Returns the queue that a request names.
   *
   * @throws ApiException 404 if there is none
   */
  static Queue queue(ManagedBroker managed, Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String name = request.parameter("queue");
    Queue queue = vhost.routing().queue(name);
    if (queue == null) {
      throw ApiException.notFound(Missing.queue(vhost, name));
    }
    return queue;
  }

  private Response status(Request request, QueueType type) {
    Queue queue = queue(request);
    QueueType own = queue.definition().settings().type();
    if (own != type) {
      throw ApiException.badRequest(
          "Cannot get %s status of a %s queue".formatted(type.wireName(), own.wireName()));
    }
    return Response.ok(
        type == QueueType.STREAM
            ? StreamStatus.of(queue)
            : QuorumStatus.of(queue, positions(request, queue)));
  }

  /** Returns what each node tells of its log of a replicated queue. */
  private Map<String, Map<String, Object>> positions(Request request, Queue queue) {
    if (!queue.isReplicated()) {
      return Map.of();
    }
    String vhost = request.parameter("vhost");
    String name = request.parameter("queue");
    Map<String, Map<String, Object>> told =
        managed
            .nodes()
            .objects(
                new NodeQuestion(
                    "GET",
                    List.of(LOG_POSITIONS, vhost, name),
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    null,
                    request.principal()));
    Map<String, Object> here = positionsHere(queue);
    if (!here.isEmpty()) {
      told.put(NodeName.value(), here);
    }
    told.values().removeIf(Map::isEmpty);
    return told;
  }

  private Map<String, Object> positionsHere(Queue queue) {
    if (!queue.isReplicated()) {
      return Map.of();
    }
    ReplicaState state =
        Futures.await(broker().cluster().orElseThrow().replicaHere(queue.replicatedPartition()));
    return state == null ? Map.of() : QuorumStatus.positions(state);
  }

  private Response change(Request request, QueueType type, NodeChange change) {
    request.principal().requireAdministrator();
    Queue queue = queue(request);
    requireReplicas(queue, type);
    String node = request.body().fields().require(NODE).requiredText(NODE);
    Futures.await(change.of(operations(), queue.replicatedPartition(), node));
    return Response.noContent();
  }

  /**
   * Checks that a queue has replicas.
   *
   * @param type the type that it has to be of
   * @throws ApiException 400 if it is not so
   */
  static void requireReplicas(Queue queue, QueueType type) {
    QueueType own = queue.definition().settings().type();
    if (own != type) {
      throw ApiException.badRequest(
          own == QueueType.CLASSIC
              ? "Cannot change the members of a classic queue"
              : "%s is of type %s, not %s".formatted(queue, own.wireName(), type.wireName()));
    }
    if (!queue.isReplicated()) {
      throw ApiException.badRequest(
          "%s has no replicas: it was declared on a broker that was alone, or by a release that gives its type none%s"
              .formatted(
                  queue,
                  type == QueueType.QUORUM
                      ? "; 'mayflyctl convert_queue %s --to quorum' gives it replicas"
                          .formatted(queue.name())
                      : ""));
    }
  }

  // Many queues

  private Response grow(Request request) {
    request.principal().requireAdministrator();
    Body.Fields fields = request.body().fields();
    Predicate<QueueReplicas> wanted = strategy(fields);
    String node = known(request.parameter(NODE));
    return each(
        QueueSelection.of(fields),
        replicas -> !replicas.members().contains(node) && wanted.test(replicas),
        partition -> operations().add(partition, node));
  }

  private Response growToCount(Request request) {
    request.principal().requireAdministrator();
    Body.Fields fields = request.body().fields();
    Predicate<QueueReplicas> wanted = strategy(fields);
    int count = (int) Math.min(fields.require(COUNT).number(COUNT, 0), Integer.MAX_VALUE);
    if (count < 1 || count > MOST_REPLICAS) {
      throw ApiException.badRequest(
          "%s %d: expected a number of replicas from 1 to %d"
              .formatted(COUNT, count, MOST_REPLICAS));
    }
    return each(
        QueueSelection.of(fields),
        replicas -> replicas.members().size() < count && wanted.test(replicas),
        partition -> operations().grow(partition, count));
  }

  private static Predicate<QueueReplicas> strategy(Body.Fields fields) {
    String strategy = fields.text(STRATEGY, ALL);
    return switch (strategy) {
      case ALL -> replicas -> true;
      case EVEN -> replicas -> replicas.members().size() % 2 == 0;
      default ->
          throw ApiException.badRequest(
              "strategy '%s': expected %s or %s".formatted(strategy, ALL, EVEN));
    };
  }

  private Response shrink(Request request) {
    request.principal().requireAdministrator();
    String node = known(request.parameter(NODE));
    return each(
        QueueSelection.of(request.body().fields()),
        replicas -> replicas.members().contains(node),
        partition -> operations().remove(partition, node));
  }

  private String known(String node) {
    if (broker().cluster().stream()
        .flatMap(cluster -> cluster.nodes().stream())
        .noneMatch(each -> each.name().equals(node))) {
      throw ApiException.badRequest("node '%s' is not a member of the cluster".formatted(node));
    }
    return node;
  }

  /** Returns the queues of a broker that have replicas. */
  static Stream<Queue> replicated(Broker broker) {
    return broker.virtualHosts().stream()
        .flatMap(vhost -> vhost.routing().queues().stream())
        .filter(Queue::isReplicated);
  }

  private Response each(QueueSelection selection, Predicate<QueueReplicas> wanted, Change change) {
    return each(
        replicated(broker())
            .filter(queue -> queue.definition().settings().type() == QueueType.QUORUM)
            .filter(selection::names)
            .filter(queue -> wanted.test(queue.replicas())),
        change);
  }

  private static Response each(Stream<Queue> selected, Change change) {
    List<Map<String, Object>> rows = new ArrayList<>();
    selected
        .collect(
            Collectors.groupingBy(Queue::replicatedPartition, TreeMap::new, Collectors.toList()))
        .forEach(
            (partition, queues) -> {
              String result = result(change.of(partition));
              queues.forEach(queue -> rows.add(row(queue, result)));
            });
    return Response.ok(rows);
  }

  private static String result(CompletableFuture<Void> change) {
    try {
      Futures.await(change);
      return OK;
    } catch (ApiException e) {
      return "error: " + e.reason();
    }
  }

  private static Map<String, Object> row(Queue queue, String result) {
    return Json.object(
        "vhost", queue.vhost().name(),
        "name", queue.name(),
        "size", queue.replicas().members().size(),
        "result", result);
  }
}
