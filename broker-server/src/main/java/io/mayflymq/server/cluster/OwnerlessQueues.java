package io.mayflymq.server.cluster;

import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueOwner;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/*
 * A queue is deleted when the connection ends that it is exclusive to. In a cluster that may fail: without a majority the deletion is refused, and a
 * declaration that was under way when the connection ended, or was told to have failed, may be carried out later.
 */
/**
 * Deletes exclusive queues of this node whose connection is gone, once that was so at two looks in
 * a row. Belongs to one thread.
 */
final class OwnerlessQueues {
  private final Supplier<Broker> broker;
  private final QueuesOfMember queues;

  /** The numbers of those that had no owner at the last look. */
  private Set<Long> before = Set.of();

  OwnerlessQueues(Supplier<Broker> broker, QueuesOfMember queues) {
    this.broker = broker;
    this.queues = queues;
  }

  /** Looks again; to be called every few seconds, once the node has caught up. */
  void look() {
    Set<Long> ownerless = new HashSet<>();
    broker
        .get()
        .virtualHosts()
        .forEach(
            vhost ->
                vhost.routing().queues().forEach(queue -> look(vhost.name(), queue, ownerless)));
    before = ownerless;
  }

  private void look(String vhost, Queue queue, Set<Long> ownerless) {
    boolean owned = queue.owner() instanceof QueueOwner owner && owner.isOpen();
    if (queue.home() != null || !queue.definition().exclusive() || owned) {
      return;
    }
    ownerless.add(queue.id());
    if (before.contains(queue.id())) {
      queues.delete(vhost, queue.name(), queue.id());
    }
  }
}
