package io.mayflymq.server.management.json;

import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.json.Json;
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

  /** Returns the status of a queue. */
  public static List<Map<String, Object>> of(Queue queue) {
    QueueReplicas replicas = ShownReplicas.of(queue);
    return replicas.members().stream().map(member -> row(member, replicas)).toList();
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
