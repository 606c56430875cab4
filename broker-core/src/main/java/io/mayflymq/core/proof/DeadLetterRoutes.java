package io.mayflymq.core.proof;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.proof.DeadLetterWay.State;
import io.mayflymq.core.proof.DeadLetterWay.Target;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.MessageProperties;
import io.mayflymq.core.routing.RoutingTable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Where dead letters get to, by the routing of a virtual host.
 *
 * @param <Q> what stands for a queue there
 */
public final class DeadLetterRoutes<Q> {
  private final RoutingTable<Q> routing;
  private final Function<Q, String> name;

  /**
   * @param routing the exchanges, queues and bindings
   * @param name the name of a queue
   */
  public DeadLetterRoutes(RoutingTable<Q> routing, Function<Q, String> name) {
    this.routing = routing;
    this.name = name;
  }

  /** Returns the keys that a message of a queue may have been published with, as far as known. */
  public Set<String> keys(String queue) {
    Set<String> keys = new LinkedHashSet<>();
    routing.bindingsTo(DestinationKind.QUEUE, queue).stream()
        .map(Binding::routingKey)
        .forEach(keys::add);
    keys.add(queue);
    return keys;
  }

  /**
   * Returns the queues that dead letters of a queue may get into through its dead letter exchange;
   * none if there is no such exchange.
   */
  public Set<String> targets(String queue, QueueSettings settings) {
    String exchange = settings.deadLetters().exchange();
    if (exchange == null || routing.exchange(exchange) == null) {
      return Set.of();
    }
    Set<String> keys =
        settings.deadLetters().routingKey() == null
            ? keys(queue)
            : Set.of(settings.deadLetters().routingKey());
    Set<String> targets = new TreeSet<>();
    Stream.concat(keys.stream(), settings.deadLetters().routingKeys().values().stream())
        .forEach(
            key ->
                routing.route(exchange, key, MessageProperties.NONE).toList().stream()
                    .map(name)
                    .forEach(targets::add));
    if (targets.isEmpty() && dependsOnMessages(exchange)) {
      routing.bindingsFrom(exchange).stream()
          .filter(binding -> binding.destinationKind() == DestinationKind.QUEUE)
          .forEach(binding -> targets.add(binding.destination()));
    }
    return targets;
  }

  /**
   * Returns whether no binding of its dead letter exchange, which exists, takes the dead letters of
   * a queue, as far as their keys are known.
   */
  public boolean isUnroutable(String queue, QueueSettings settings) {
    return targets(queue, settings).isEmpty()
        && (isKeyKnown(queue, settings) || leadsNowhere(settings.deadLetters().exchange()));
  }

  /**
   * Returns whether the keys of a queue's dead letters are known: its own, or those of bindings
   * that messages have to match exactly.
   */
  private boolean isKeyKnown(String queue, QueueSettings settings) {
    return settings.deadLetters().routingKey() != null
        || routing.bindingsTo(DestinationKind.QUEUE, queue).stream()
            .allMatch(
                binding -> routing.exchange(binding.source()).routingType() == ExchangeType.DIRECT);
  }

  /** Returns whether no message comes out of an exchange, whatever its key. */
  private boolean leadsNowhere(String exchange) {
    return !exchange.isEmpty()
        && !routing.hasBindingsFrom(exchange)
        && routing.alternateExchange(exchange) == null;
  }

  /** Returns whether the headers of a message decide, or keys that only clients know. */
  private boolean dependsOnMessages(String exchange) {
    ExchangeType type = routing.exchange(exchange).routingType();
    return type != ExchangeType.DIRECT && type != ExchangeType.FANOUT && type != ExchangeType.TOPIC;
  }

  /**
   * Returns the way of the dead letters of a queue through its dead letter exchange, or to a queue
   * of its own.
   *
   * @param own its own dead letter queue, as it is or would be; null if another queue has the name
   * @param queues what each queue of the virtual host is as a target
   */
  public DeadLetterWay way(
      String queue, QueueSettings settings, Target own, Function<String, Target> queues) {
    String exchange = settings.deadLetters().exchange();
    if (!settings.deadLetters().areWanted()) {
      return DeadLetterWay.NOWHERE;
    } else if (exchange == null) {
      return own == null
          ? new DeadLetterWay(State.MISSING, List.of(), false)
          : new DeadLetterWay(State.OWN, List.of(own), false);
    } else if (routing.exchange(exchange) == null) {
      return new DeadLetterWay(State.MISSING, List.of(), false);
    } else if (isUnroutable(queue, settings)) {
      return new DeadLetterWay(State.UNROUTABLE, List.of(), false);
    }
    List<Target> targets = targets(queue, settings).stream().map(queues).toList();
    return new DeadLetterWay(
        isTheSameForAll(settings) ? State.KNOWN : State.BY_MESSAGE,
        targets,
        leadsBack(queue, targets, queues));
  }

  /** Returns whether each dead letter reaches a queue: by each of the keys that it may have. */
  private boolean isTheSameForAll(QueueSettings settings) {
    String exchange = settings.deadLetters().exchange();
    if (dependsOnMessages(exchange)) {
      return false;
    }
    boolean anyKey = routing.exchange(exchange).routingType() == ExchangeType.FANOUT;
    Set<String> keys = new HashSet<>(settings.deadLetters().routingKeys().values());
    if (settings.deadLetters().routingKey() != null) {
      keys.add(settings.deadLetters().routingKey());
    } else if (anyKey) {
      keys.add("");
    } else {
      // A message has come by any binding, or by a key of its header CC.
      return false;
    }
    return keys.stream()
        .noneMatch(key -> routing.route(exchange, key, MessageProperties.NONE).isEmpty());
  }

  private boolean leadsBack(String queue, List<Target> first, Function<String, Target> queues) {
    Deque<Target> reached = new ArrayDeque<>(first);
    Set<String> seen = new HashSet<>();
    while (!reached.isEmpty()) {
      Target at = reached.poll();
      if (at.name().equals(queue)) {
        return true;
      }
      if (seen.add(at.name())) {
        targets(at.name(), at.settings()).stream().map(queues).forEach(reached::add);
      }
    }
    return false;
  }
}
