package io.mayflymq.server.management.json;

import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;

/**
 * The replicas of a stream, one for each of its members, under RabbitMQ's names. One that has no
 * replicas is shown as its node's, which writes it.
 *
 * <p>Source: RabbitMQ 3.13, {@code rabbit_stream_queue:status/2}.
 */
public final class StreamStatus {
  private StreamStatus() {}

  /** Returns the status of a stream. */
  public static List<Map<String, Object>> of(Queue stream) {
    QueueReplicas replicas = ShownReplicas.of(stream);
    return replicas.members().stream().map(member -> row(member, replicas)).toList();
  }

  private static Map<String, Object> row(String member, QueueReplicas replicas) {
    return Json.object(
        "role", role(member, replicas),
        "node", member,
        "epoch", replicas.epoch(),
        "in_sync", replicas.inSync().contains(member));
  }

  private static String role(String member, QueueReplicas replicas) {
    if (!replicas.online().contains(member)) {
      return "nodedown";
    }
    return member.equals(replicas.leader()) ? "writer" : "replica";
  }
}
