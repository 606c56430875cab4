package io.mayflymq.server.management.json;

import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;

/**
 * The replicas of a quorum queue, one for each of its members, under RabbitMQ's names: by what the
 * cluster has agreed upon, and by what the nodes tell of their logs. Positions are numbers of
 * batches; a log has no snapshots and no versions of a machine.
 *
 * <p>Source: RabbitMQ 4.3.6, {@code rabbit_quorum_queue:status/2}, where a node that does not
 * answer has empty texts.
 */
public final class QuorumStatus {
  private static final int NO_SNAPSHOT = -1;
  private static final int NO_VERSION = 0;

  private QuorumStatus() {}

  /**
   * Returns the status of a queue.
   *
   * @param positions what each node that answers tells of its log, as {@link #positions} writes it;
   *     none for a queue that is not replicated, whose log begins and ends with 0
   */
  public static List<Map<String, Object>> of(
      Queue queue, Map<String, Map<String, Object>> positions) {
    QueueReplicas replicas = ShownReplicas.of(queue);
    Map<String, Object> otherwise =
        queue.isReplicated() ? nowhere() : positions(new Log(0, 0, 0, replicas.epoch()));
    return replicas.members().stream()
        .map(member -> row(member, replicas, positions.getOrDefault(member, otherwise)))
        .toList();
  }

  /** Returns what a node tells of its log of a partition. */
  public static Map<String, Object> positions(ReplicaState state) {
    return positions(new Log(state.last(), state.forced(), state.committed(), state.epoch()));
  }

  private record Log(long last, long forced, long committed, long epoch) {}

  private static Map<String, Object> positions(Log log) {
    return Json.object(
        "Membership", "voter",
        "Last Log Index", log.last,
        "Last Written", log.forced,
        "Last Applied", log.last,
        "Commit Index", log.committed,
        "Snapshot Index", NO_SNAPSHOT,
        "Term", log.epoch,
        "Machine Version", NO_VERSION);
  }

  private static Map<String, Object> nowhere() {
    Map<String, Object> nowhere = positions(new Log(0, 0, 0, 0));
    nowhere.replaceAll((name, number) -> "");
    return nowhere;
  }

  private static Map<String, Object> row(
      String member, QueueReplicas replicas, Map<String, Object> positions) {
    Map<String, Object> row =
        Json.object("Node Name", member, "Raft State", state(member, replicas));
    row.putAll(positions);
    row.put("In Sync", replicas.inSync().contains(member));
    return row;
  }

  private static String state(String member, QueueReplicas replicas) {
    if (!replicas.online().contains(member)) {
      return "nodedown";
    }
    return member.equals(replicas.leader()) ? "leader" : "follower";
  }
}
