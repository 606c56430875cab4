package io.mayflymq.core.vhost.command;

import io.mayflymq.core.policy.DeadLetterSettings;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which queues a dead letter of a queue may come to at once: those that its dead letter exchange
 * leads to, whatever the routing key, and from those that dead-letter what comes to them the next
 * ones. More queues than in truth, never fewer. By one thread only.
 */
final class DeadLetterReach {
  private static final int MOST_REMEMBERED = 256;

  private final Map<Queue, Step> steps = new HashMap<>();

  /** What the steps are true of. */
  private RoutingTable<Queue> table;

  /**
   * Where the dead letters of a queue with these settings go.
   *
   * @param targets null if that may be any queue
   */
  private record Step(DeadLetterSettings settings, Set<Queue> targets) {}

  /**
   * Whether a dead letter of one queue may come to another by a way over partitions, so that a
   * command that is sent to the other one could be faster. Within a partition it could not.
   */
  boolean mayReach(Queue source, Queue target) {
    RoutingTable<Queue> current = source.vhost().routing();
    if (table != current || steps.size() > MOST_REMEMBERED) {
      table = current;
      steps.clear();
    }
    Set<Queue> first = targetsOf(source);
    if (first == null || (target.partition() != source.partition() && first.contains(target))) {
      return true;
    }
    for (Queue to : first) {
      if (to.settings().deadLettersOnArrival()) {
        return mayReachByMoreSteps(source, target);
      }
    }
    return false;
  }

  private boolean mayReachByMoreSteps(Queue source, Queue target) {
    Set<Queue> seenNear = new HashSet<>();
    Set<Queue> seenFar = new HashSet<>();
    ArrayDeque<Queue> near = new ArrayDeque<>();
    ArrayDeque<Queue> far = new ArrayDeque<>();
    near.add(source);
    while (!near.isEmpty() || !far.isEmpty()) {
      boolean isFar = near.isEmpty();
      Queue from = isFar ? far.remove() : near.remove();
      Set<Queue> targets = targetsOf(from);
      if (targets == null) {
        return true;
      }
      for (Queue to : targets) {
        boolean crosses = isFar || to.partition() != source.partition();
        if (crosses && to == target) {
          return true;
        }
        if (to.settings().deadLettersOnArrival() && (crosses ? seenFar : seenNear).add(to)) {
          (crosses ? far : near).add(to);
        }
      }
    }
    return false;
  }

  private Set<Queue> targetsOf(Queue source) {
    DeadLetterSettings settings = source.settings().deadLetters();
    Step step = steps.get(source);
    if (step == null || !step.settings.equals(settings)) {
      step = new Step(settings, find(source, settings, table));
      steps.put(source, step);
    }
    return step.targets;
  }

  private static Set<Queue> find(
      Queue source, DeadLetterSettings settings, RoutingTable<Queue> table) {
    if (settings.exchange() == null) {
      return settings.ownQueue()
          ? queues(Set.of(AutoDeadLetterQueue.nameOf(source.name())), table)
          : Set.of();
    }
    if (!settings.exchange().isEmpty()) {
      return boundTo(settings.exchange(), table);
    }
    if (settings.routingKey() == null) {
      return null;
    }
    Set<String> names = new HashSet<>(settings.routingKeys().values());
    names.add(settings.routingKey());
    return queues(names, table);
  }

  private static Set<Queue> boundTo(String exchange, RoutingTable<Queue> table) {
    Set<String> exchanges = new HashSet<>();
    Set<String> names = new HashSet<>();
    ArrayDeque<String> next = new ArrayDeque<>();
    next.add(exchange);
    while (!next.isEmpty()) {
      String name = next.remove();
      if (exchanges.add(name)) {
        String alternate = table.alternateExchange(name);
        if (alternate != null) {
          next.add(alternate);
        }
        for (Binding binding : table.bindingsFrom(name)) {
          if (binding.destinationKind() == DestinationKind.QUEUE) {
            names.add(binding.destination());
          } else {
            next.add(binding.destination());
          }
        }
      }
    }
    // The default exchange may be an alternate one, and leads anywhere.
    return exchanges.contains("") ? null : queues(names, table);
  }

  private static Set<Queue> queues(Collection<String> names, RoutingTable<Queue> table) {
    Set<Queue> queues = new HashSet<>();
    for (String name : names) {
      Queue queue = table.queue(name);
      if (queue != null) {
        queues.add(queue);
      }
    }
    return queues;
  }
}
