package io.mayflymq.server.cluster.replication;

import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How many replicas the queues of partitions are to have. Any thread may call.
 *
 * <p>Queues share partitions, and a partition has the largest of the target sizes of its quorum
 * queues: so each queue has at least as many replicas as it is to have. As in RabbitMQ, the target
 * size of a queue is the largest one that the configuration, policies and its argument say.
 *
 * @param broker has the queues
 * @param configured the least target size of all quorum queues; empty if there is none
 */
record TargetSizes(Broker broker, OptionalInt configured) {
  /** Returns what the sizes depend on; another object stands for another state. */
  List<Object> sources() {
    List<Object> sources = new ArrayList<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      sources.add(vhost.policies().table());
      sources.add(vhost.routing());
    }
    return sources;
  }

  /** Returns the sizes by the numbers of the partitions, of those that have one. */
  Map<Integer, Integer> byPartition() {
    Map<Integer, Integer> sizes = new HashMap<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      PolicyTable policies = vhost.policies().table();
      for (Queue queue : vhost.routing().queues()) {
        if (queue.isReplicated() && queue.definition().settings().type() == QueueType.QUORUM) {
          int size = Math.max(of(queue, policies), configured.orElse(0));
          if (size > 0) {
            sizes.merge(queue.replicatedPartition(), size, Math::max);
          }
        }
      }
    }
    return sizes;
  }

  /** Returns 0 if neither policies nor the argument say one. */
  private static int of(Queue queue, PolicyTable policies) {
    return policies
        .explain(
            PolicySubject.queue(QueueType.QUORUM, queue.name()), queue.definition().arguments())
        .value(PolicyKey.TARGET_GROUP_SIZE)
        .map(size -> (int) Math.min(((Number) size.value()).longValue(), Integer.MAX_VALUE))
        .orElse(0);
  }
}
