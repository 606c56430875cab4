package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DeadLetter;
import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.store.DeadEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends dead messages through their queue's dead letter exchange. Called on the shard of the queue
 * that they died in.
 *
 * <p>A queue that would get a message back in a cycle that no consumer took part in is left out;
 * RabbitMQ's rule and log line.
 */
final class DeadLetterRouter {
  private static final Logger LOGGER = LoggerFactory.getLogger(DeadLetterRouter.class);
  private static final int MOST_CYCLES_REMEMBERED = 1000;

  private final VirtualHost vhost;
  private final Shards shards;
  private final Set<List<String>> reportedCycles = ConcurrentHashMap.newKeySet();

  DeadLetterRouter(VirtualHost vhost, Shards shards) {
    this.vhost = vhost;
    this.shards = shards;
  }

  /**
   * Sends a dead message on, if its queue has a dead letter exchange.
   *
   * @param message the message; null if the queue has none, or if it cannot be read any more
   * @param entry its entry in the log, or null
   */
  void route(Queue source, Message message, DeadEntry entry, DeathReason reason, long nowMillis) {
    QueueSettings settings = source.settings();
    String exchange = settings.deadLetters().exchange();
    RoutingTable<Queue> table = vhost.routing();
    List<Queue> targets = List.of();
    DeadLetter letter = null;
    if (message != null && exchange != null && table.exchange(exchange) != null) {
      letter =
          DeadLetter.of(
              message,
              source.name(),
              reason,
              nowMillis,
              exchange,
              settings.deadLetters().routingKey());
      targets = targets(table, exchange, letter);
    }
    if (!targets.isEmpty()) {
      source.counters().add(Counter.DEAD_LETTERED, 1);
      shards.deadLetters(source.shard()).send(entry, letter.message(), targets);
    } else if (entry != null) {
      shards.store(source.shard()).settle(entry);
    }
  }

  private List<Queue> targets(RoutingTable<Queue> table, String exchange, DeadLetter letter) {
    Route<Queue> route = table.route(exchange, letter.routingKeys(), letter.message()::properties);
    vhost.follow(route, letter.message());
    List<Queue> targets = new ArrayList<>(route.size());
    for (int i = 0; i < route.size(); i++) {
      Queue target = route.get(i);
      if (letter.history().isCycle(target.name())) {
        reportCycle(letter, target);
      } else {
        targets.add(target);
      }
    }
    return targets;
  }

  private void reportCycle(DeadLetter letter, Queue target) {
    List<String> queues =
        Stream.concat(
                Stream.of(target.name()), letter.history().deaths().stream().map(Death::queue))
            .toList();
    if (reportedCycles.size() < MOST_CYCLES_REMEMBERED && reportedCycles.add(queues)) {
      LOGGER.warn(
          "Message dropped because the following list of queues (ordered by death recency) contains"
              + " a dead letter cycle without reason 'rejected'. This list will not be logged"
              + " again: {}",
          queues);
    }
  }
}
