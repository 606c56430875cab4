package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What clients were told of durable queues and bindings: it must be so after a crash, whichever
 * client declared them first.
 */
final class Promises {
  private final Map<Long, QueueDefinition> definitions;

  /** The numbers of the queues that must be there, by their names. */
  private final Map<String, Long> queues = new HashMap<>();

  private final Set<Binding> bindings = new HashSet<>();

  /** How many deletions of a queue have no known end. */
  private final Map<String, Integer> deletions = new HashMap<>();

  /** The names of queues that may adopt a lease. */
  private final Set<String> leased = new HashSet<>();

  /**
   * Begins without any.
   *
   * @param definitions where the definition of each queue is noted that was ever there
   */
  Promises(Map<Long, QueueDefinition> definitions) {
    this.definitions = definitions;
  }

  /** A client was told that a queue exists; null if it has gone meanwhile. */
  void declared(Queue queue) {
    if (queue != null) {
      definitions.put(queue.id(), queue.definition());
      boolean stays =
          queue.definition().durable()
              && !queue.definition().arguments().containsKey("x-expires")
              && !deletions.containsKey(queue.name())
              && !leased.contains(queue.name());
      if (stays) {
        queues.put(queue.name(), queue.id());
      }
    }
  }

  /** A client was told that a queue is bound. */
  void bound(Queue queue, Binding binding) {
    if (queue != null && queues.containsKey(queue.name())) {
      bindings.add(binding);
    }
  }

  /** A client wants a queue deleted. */
  void deleting(String queue) {
    deletions.merge(queue, 1, Integer::sum);
    forget(queue);
  }

  /** And has been told what became of that. */
  void deleted(String queue) {
    deletions.compute(queue, (name, count) -> count == 1 ? null : count - 1);
  }

  /** A client declares a queue with a lease, which one that is there may adopt. */
  void leasing(String queue) {
    leased.add(queue);
    forget(queue);
  }

  private void forget(String queue) {
    queues.remove(queue);
    bindings.removeIf(binding -> binding.destination().equals(queue));
  }

  /** Compares with what a broker has that was started on what a crash left. */
  void check(RoutingTable<Queue> found) {
    deletions.clear();
    leased.clear();
    queues.forEach(
        (name, id) -> {
          assertThat(found.queue(name)).as("declared, and lost: %s", name).isNotNull();
          assertThat(found.queue(name).id()).as("declared, and another: %s", name).isEqualTo(id);
        });
    assertThat(found.bindings()).as("bound, and lost").containsAll(bindings);
  }
}
