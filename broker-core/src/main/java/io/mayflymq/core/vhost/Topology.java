package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.HashMap;
import java.util.Map;

/**
 * What there is in a virtual host at one moment. Immutable.
 *
 * @param routing its exchanges, queues and bindings
 * @param policies what applies to them
 * @param moves the queues that are being moved, by name
 * @param kept the deleted queues that can be brought back, by their numbers
 * @param deleted whether the virtual host has gone, and nothing can be declared any more
 */
record Topology(
    RoutingTable<Queue> routing,
    PolicyTable policies,
    Map<String, Move> moves,
    Map<Long, KeptQueue> kept,
    boolean deleted) {
  /**
   * A queue that is being moved.
   *
   * @param command where to
   * @param copy what is the queue when it has moved
   */
  record Move(QueueMoving command, Queue copy) {}

  Topology(RoutingTable<Queue> routing, PolicyTable policies) {
    this(routing, policies, Map.of(), Map.of(), false);
  }

  Topology with(RoutingTable<Queue> changed) {
    return new Topology(changed, policies, moves, kept, deleted);
  }

  Topology with(PolicyTable changed) {
    return new Topology(routing, changed, moves, kept, deleted);
  }

  /** After a move of a queue has begun. */
  Topology with(Move move) {
    Map<String, Move> more = new HashMap<>(moves);
    more.put(move.command().queue(), move);
    return new Topology(routing, policies, Map.copyOf(more), kept, deleted);
  }

  /** After the move of a queue is over. */
  Topology withoutMove(String queue) {
    Map<String, Move> less = new HashMap<>(moves);
    less.remove(queue);
    return new Topology(routing, policies, Map.copyOf(less), kept, deleted);
  }

  /** After a queue was deleted that can be brought back. */
  Topology with(KeptQueue deleted) {
    Map<Long, KeptQueue> more = new HashMap<>(kept);
    more.put(deleted.queue().id(), deleted);
    return new Topology(routing, policies, moves, Map.copyOf(more), this.deleted);
  }

  /** After a deleted queue was brought back, or forgotten. */
  Topology withoutKept(long id) {
    Map<Long, KeptQueue> less = new HashMap<>(kept);
    less.remove(id);
    return new Topology(routing, policies, moves, Map.copyOf(less), deleted);
  }

  /** After the virtual host was deleted. */
  Topology end() {
    return new Topology(RoutingTable.empty(), policies, Map.of(), Map.of(), true);
  }

  /** Returns the settings of a queue by its arguments and these policies. */
  QueueSettings settingsOf(QueueDefinition queue) {
    return AutoDeadLetterQueue.is(queue)
        ? queue.settings()
        : policies.settingsOf(queue.name(), queue.arguments(), queue.settings());
  }

  Queue queue(String name) {
    return routing.queue(name);
  }
}
