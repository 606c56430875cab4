package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DeadLetter;
import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
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

  void route(Queue source, Message message, DeathReason reason, long nowMillis) {
    QueueSettings settings = source.definition().settings();
    String exchange = settings.deadLetterExchange();
    RoutingTable<Queue> table = vhost.routing();
    if (exchange == null || table.exchange(exchange) == null) {
      return;
    }
    DeadLetter letter =
        DeadLetter.of(
            message, source.name(), reason, nowMillis, exchange, settings.deadLetterRoutingKey());
    Route<Queue> route =
        table.route(exchange, letter.routingKeys(), () -> letter.message().headers());
    CommandLanes lanes = shards.deadLetters(source.shard());
    boolean arrives = false;
    for (int i = 0; i < route.size(); i++) {
      Queue target = route.get(i);
      if (letter.history().isCycle(target.name())) {
        reportCycle(letter, target);
      } else {
        lanes.publish(target, letter.message(), null, 0);
        arrives = true;
      }
    }
    if (arrives) {
      source.counters().add(Counter.DEAD_LETTERED, 1);
    }
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
