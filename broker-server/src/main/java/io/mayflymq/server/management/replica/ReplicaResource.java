package io.mayflymq.server.management.replica;

import io.mayflymq.core.replication.node.ReplicaOperations;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.rebalance.QueueSelection;
import io.mayflymq.server.management.resource.Futures;
import io.mayflymq.server.management.resource.ManagedBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/*
 * Queues share partitions. So what is asked for a queue is done to its partition, and with that to all its queues.
 *
 * Requests for many queues change one partition after the other. One that cannot be changed stays as it is, and the answer says why.
 */
/**
 * The replicas of quorum queues, under RabbitMQ's paths. Only administrators may change them.
 *
 * <p>Source: RabbitMQ 4, {@code rabbit_mgmt_wm_quorum_queue_replicas_*}.
 */
public final class ReplicaResource {
  private static final String NODE = "node";
  private static final String ALL = "all";
  private static final String EVEN = "even";

  private final ManagedBroker managed;

  public ReplicaResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .post("queues/quorum/{vhost}/{queue}/leader", request -> change(request, this::transfer))
        .post("queues/quorum/{vhost}/{queue}/replicas/add", request -> change(request, this::add))
        .delete(
            "queues/quorum/{vhost}/{queue}/replicas/delete",
            request -> change(request, this::remove))
        .post("queues/quorum/replicas/on/{node}/grow", this::grow)
        .delete("queues/quorum/replicas/on/{node}/shrink", this::shrink);
  }

  /** A change of a partition. */
  private interface Change {
    CompletableFuture<Void> of(int partition, String node);
  }

  private Broker broker() {
    return managed.broker();
  }

  private ReplicaOperations operations() {
    return broker().cluster().replicaOperations();
  }

  private CompletableFuture<Void> transfer(int partition, String node) {
    return operations().transfer(partition, node);
  }

  private CompletableFuture<Void> add(int partition, String node) {
    return operations().add(partition, node);
  }

  private CompletableFuture<Void> remove(int partition, String node) {
    return operations().remove(partition, node);
  }

  private Response change(Request request, Change change) {
    request.principal().requireAdministrator();
    Queue queue = managed.visibleVhost(request).routing().queue(request.parameter("queue"));
    if (queue == null) {
      throw ApiException.notFound();
    }
    requireReplicas(queue);
    String node = request.body().fields().require(NODE).requiredText(NODE);
    Futures.await(change.of(queue.replicatedPartition(), node));
    return Response.noContent();
  }

  private static void requireReplicas(Queue queue) {
    QueueType type = queue.definition().settings().type();
    if (type != QueueType.QUORUM) {
      throw ApiException.badRequest(
          "Cannot change the members of a %s queue".formatted(type.wireName()));
    }
    if (!queue.isReplicated()) {
      throw ApiException.badRequest(
          "%s was declared on a broker that was alone: it has no replicas".formatted(queue));
    }
  }

  private Response grow(Request request) {
    Body.Fields fields = request.body().fields();
    String strategy = fields.text("strategy", ALL);
    if (!strategy.equals(ALL) && !strategy.equals(EVEN)) {
      throw ApiException.badRequest(
          "strategy '%s': expected %s or %s".formatted(strategy, ALL, EVEN));
    }
    String node = known(request.parameter(NODE));
    return each(
        request,
        QueueSelection.of(fields),
        replicas ->
            !replicas.members().contains(node)
                && (strategy.equals(ALL) || replicas.members().size() % 2 == 0),
        this::add);
  }

  private Response shrink(Request request) {
    String node = known(request.parameter(NODE));
    return each(
        request,
        QueueSelection.of(request.body().fields()),
        replicas -> replicas.members().contains(node),
        this::remove);
  }

  private String known(String node) {
    Cluster cluster = broker().cluster();
    if (cluster == null || cluster.nodes().stream().noneMatch(each -> each.name().equals(node))) {
      throw ApiException.badRequest("node '%s' is not a member of the cluster".formatted(node));
    }
    return node;
  }

  private Response each(
      Request request, QueueSelection selection, Predicate<QueueReplicas> wanted, Change change) {
    request.principal().requireAdministrator();
    SortedMap<Integer, List<Queue>> partitions =
        broker().virtualHosts().stream()
            .flatMap(vhost -> vhost.routing().queues().stream())
            .filter(queue -> queue.isReplicated() && selection.names(queue))
            .filter(queue -> wanted.test(queue.replicas()))
            .collect(
                Collectors.groupingBy(
                    Queue::replicatedPartition, TreeMap::new, Collectors.toList()));
    List<Map<String, Object>> rows = new ArrayList<>();
    partitions.forEach(
        (partition, queues) -> {
          String result = result(change.of(partition, request.parameter(NODE)));
          queues.forEach(queue -> rows.add(row(queue, result)));
        });
    return Response.ok(rows);
  }

  private static String result(CompletableFuture<Void> change) {
    try {
      Futures.await(change);
      return "ok";
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
