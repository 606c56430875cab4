package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Has the replicas on this node go on alone, when the others are lost for ever. Only for
 * administrators. What is given up can be asked before.
 *
 * <p>Source: RabbitMQ, {@code rabbit_quorum_queue:force_shrink_member_to_current_member/2} and
 * {@code force_all_queues_shrink_member_to_current_member/0}, which have no path of the API.
 */
public final class ForcedShrinkResource {
  private final ManagedBroker managed;

  public ForcedShrinkResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .post("queues/quorum/{vhost}/{queue}/replicas/force-shrink", this::shrink)
        .post("queues/quorum/{vhost}/{queue}/replicas/force-shrink/dry-run", this::tell)
        .post("queues/quorum/replicas/force-shrink", this::shrinkAll)
        .post("queues/quorum/replicas/force-shrink/dry-run", this::tellAll);
  }

  private ReplicaOperations operations() {
    return managed.broker().cluster().orElseThrow().replicaOperations();
  }

  private Response shrink(Request request) {
    return Response.ok(shrunk(List.of(partition(request))));
  }

  private Response tell(Request request) {
    return Response.ok(givenUp(partition(request)));
  }

  private Response shrinkAll(Request request) {
    return Response.ok(shrunk(lost(request)));
  }

  private Response tellAll(Request request) {
    return Response.ok(lost(request).stream().flatMap(each -> givenUp(each).stream()).toList());
  }

  private List<Map<String, Object>> shrunk(List<Integer> partitions) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int partition : partitions) {
      List<Map<String, Object>> givenUp = givenUp(partition);
      Futures.await(operations().goOnAlone(partition));
      rows.addAll(givenUp);
    }
    return rows;
  }

  private int partition(Request request) {
    request.principal().requireAdministrator();
    Queue queue = ReplicaResource.queue(managed, request);
    ReplicaResource.requireReplicas(queue, QueueType.QUORUM);
    try {
      operations().requireLostMajority(queue.replicatedPartition());
    } catch (ChannelException e) {
      throw ApiException.of(e);
    }
    return queue.replicatedPartition();
  }

  /** Returns all partitions whose other replicas can only be given up. */
  private List<Integer> lost(Request request) {
    request.principal().requireAdministrator();
    return ReplicaResource.replicated(managed.broker())
        .map(Queue::replicatedPartition)
        .distinct()
        .sorted()
        .filter(this::isLost)
        .toList();
  }

  private boolean isLost(int partition) {
    try {
      operations().requireLostMajority(partition);
      return true;
    } catch (ChannelException e) {
      return false;
    }
  }

  /** Returns what is given up, for each queue of a partition. */
  private List<Map<String, Object>> givenUp(int partition) {
    return ReplicaResource.replicated(managed.broker())
        .filter(queue -> queue.replicatedPartition() == partition)
        .map(ForcedShrinkResource::row)
        .toList();
  }

  private static Map<String, Object> row(Queue queue) {
    String self = NodeName.value();
    return Json.object(
        "vhost",
        queue.vhost().name(),
        "name",
        queue.name(),
        "in_sync",
        queue.replicas().inSync().contains(self),
        "given_up",
        queue.replicas().members().stream().filter(member -> !member.equals(self)).toList());
  }
}
