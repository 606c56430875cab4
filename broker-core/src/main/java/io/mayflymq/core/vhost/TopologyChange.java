package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What commands do to a topology: built command by command ({@link TopologyChanges}), then proposed
 * as a whole. Belongs to one thread.
 */
final class TopologyChange {
  private final List<MetadataCommand> written = new ArrayList<>();
  private final List<Runnable> effects = new ArrayList<>();
  private final List<Queue> created = new ArrayList<>();
  private final List<Runnable> withdrawals = new ArrayList<>();
  private Topology topology;

  /** Begins with the topology before the change. */
  TopologyChange(Topology before) {
    this.topology = before;
  }

  /** Returns the topology after the commands so far. */
  Topology topology() {
    return topology;
  }

  /** Returns its exchanges, queues and bindings. */
  RoutingTable<Queue> routing() {
    return topology.routing();
  }

  void become(Topology next) {
    topology = next;
  }

  void become(RoutingTable<Queue> next) {
    topology = topology.with(next);
  }

  void become(PolicyTable next) {
    topology = topology.with(next);
  }

  /** Adds commands that have to be written for the change. */
  void write(List<MetadataCommand> commands) {
    written.addAll(commands);
  }

  /** Adds what follows when the change is in force. */
  void then(Runnable effect) {
    effects.add(effect);
  }

  /** Adds what follows when the change is not made. */
  void otherwise(Runnable withdrawal) {
    withdrawals.add(withdrawal);
  }

  /** Notes a queue that the change adds. */
  void created(Queue queue) {
    created.add(queue);
  }

  /** Returns what has to be written, as a unit. */
  List<MetadataCommand> written() {
    return Collections.unmodifiableList(written);
  }

  /** The change is in force. Within the lock of the virtual host. */
  void inForce() {
    effects.forEach(Runnable::run);
  }

  /** The change is not made. */
  void discard() {
    created.forEach(queue -> queue.lifecycle().discard());
    withdrawals.forEach(Runnable::run);
  }
}
