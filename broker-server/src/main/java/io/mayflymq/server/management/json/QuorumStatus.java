package io.mayflymq.server.management.json;

import io.mayflymq.core.replication.Assignment;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import java.util.List;
import java.util.Map;

/**
 * The replicas of a quorum queue, one for each of its members, under RabbitMQ's names: by what the
 * cluster has agreed upon, and by the nodes that can be reached.
 *
 * <p>Source: RabbitMQ 3.10, {@code rabbit_quorum_queue:status/2}.
 */
public final class QuorumStatus {
  private QuorumStatus() {}

  /**
   * Returns the status of a queue.
   *
   * @throws ApiException 400 if it is none
   */
  public static List<Map<String, Object>> of(Queue queue) {
    QueueReplicas replicas = queue.replicas();
    if (replicas == null) {
      if (queue.definition().settings().type() != QueueType.QUORUM) {
        throw ApiException.badRequest(
            "Cannot get quorum status of a %s queue"
                .formatted(queue.definition().settings().type().wireName()));
      }
      List<String> node = List.of(queue.here() != null ? NodeName.value() : queue.home().node());
      replicas = new QueueReplicas(node.get(0), Assignment.FIRST_EPOCH, node, node, node);
    }
    QueueReplicas shown = replicas;
    return shown.members().stream().map(member -> row(member, shown)).toList();
  }

  private static Map<String, Object> row(String member, QueueReplicas replicas) {
    return Json.object(
        "Node Name", member,
        "Raft State", state(member, replicas),
        "In Sync", replicas.inSync().contains(member),
        "Term", replicas.epoch());
  }

  private static String state(String member, QueueReplicas replicas) {
    if (!replicas.online().contains(member)) {
      return "nodedown";
    }
    return member.equals(replicas.leader()) ? "leader" : "follower";
  }
}
