package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;

/**
 * What there is in a virtual host at one moment. Immutable.
 *
 * @param routing its exchanges, queues and bindings
 * @param policies what applies to them
 * @param deleted whether the virtual host has gone, and nothing can be declared any more
 */
record Topology(RoutingTable<Queue> routing, PolicyTable policies, boolean deleted) {
  Topology with(RoutingTable<Queue> changed) {
    return new Topology(changed, policies, deleted);
  }

  Topology with(PolicyTable changed) {
    return new Topology(routing, changed, deleted);
  }

  /** After the virtual host was deleted. */
  Topology end() {
    return new Topology(RoutingTable.empty(), policies, true);
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
