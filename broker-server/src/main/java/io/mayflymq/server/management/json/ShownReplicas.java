package io.mayflymq.server.management.json;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.config.NodeName;
import java.util.List;

/** The replicas of any queue: one that is not replicated has one replica, on its node. */
final class ShownReplicas {
  private ShownReplicas() {}

  static QueueReplicas of(Queue queue) {
    QueueReplicas replicas = queue.replicas();
    if (replicas != null) {
      return replicas;
    }
    List<String> node = List.of(queue.isHere() ? NodeName.value() : queue.home().node());
    return new QueueReplicas(node.get(0), Assignment.FIRST_EPOCH, node, node, node);
  }
}
