package io.mayflymq.server.cluster;

import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueOwner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Deletes exclusive queues of this node whose connection is gone, once that was so at two looks in
 * a row. Belongs to one thread.
 *
 * <p>A queue is deleted when the connection ends that it is exclusive to. In a cluster that may
 * fail: without a majority the deletion is refused, and a declaration that was under way when the
 * connection ended, or was told to have failed, may be carried out later.
 */
final class OwnerlessQueues {
  private final Broker broker;
  private final QueuesOfMember queues;

  /** The numbers of those that had no owner at the last look. */
  private Set<Long> before = Set.of();

  /** The exclusive queues of this node in each virtual host, as of the last look. */
  private Map<String, Exclusive> exclusive = Map.of();

  /**
   * The exclusive queues in a routing table. A broker may have many queues that hardly ever change,
   * so they are looked for in each table once.
   */
  private record Exclusive(RoutingTable<Queue> routing, List<Queue> queues) {
    static Exclusive of(RoutingTable<Queue> routing) {
      List<Queue> found = new ArrayList<>();
      routing.forEachQueue(
          (name, queue) -> {
            if (queue.definition().exclusive() && queue.isLocal()) {
              found.add(queue);
            }
          });
      return new Exclusive(routing, found);
    }
  }

  OwnerlessQueues(Broker broker, QueuesOfMember queues) {
    this.broker = broker;
    this.queues = queues;
  }

  /** Looks again; to be called every few seconds, once the node has caught up. */
  void look() {
    Set<Long> ownerless = new HashSet<>();
    Map<String, Exclusive> present = new HashMap<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      RoutingTable<Queue> routing = vhost.routing();
      Exclusive known = exclusive.get(vhost.name());
      Exclusive now = known != null && known.routing == routing ? known : Exclusive.of(routing);
      present.put(vhost.name(), now);
      now.queues.forEach(queue -> look(vhost.name(), queue, ownerless));
    }
    exclusive = present;
    before = ownerless;
  }

  private void look(String vhost, Queue queue, Set<Long> ownerless) {
    if (queue.owner() instanceof QueueOwner owner && owner.isOpen()) {
      return;
    }
    ownerless.add(queue.id());
    if (before.contains(queue.id())) {
      queues.delete(vhost, queue.name(), queue.id());
    }
  }
}
