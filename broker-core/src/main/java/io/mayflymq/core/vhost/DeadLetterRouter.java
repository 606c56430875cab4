package io.mayflymq.core.vhost;

import io.mayflymq.core.journal.DeathJournal;
import io.mayflymq.core.journal.DeathRecord;
import io.mayflymq.core.message.DeadLetter;
import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.DeathCause;
import io.mayflymq.core.message.DeathFate;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.settings.DeadLetterSettings;
import io.mayflymq.core.store.DeadEntry;
import io.mayflymq.protocol.types.RawProperties;
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
   * Sends a dead message on, if its queue has a dead letter exchange; counts and notes what became
   * of it. Parameters as in {@link QueueEffects#died}.
   */
  void route(
      Queue source,
      Message message,
      DeadEntry entry,
      DeathCause cause,
      long deadlineMillis,
      long nowMillis) {
    DeadLetterSettings settings = source.settings().deadLetters();
    // A queue's own dead letter queue is reached as any queue is, by its name.
    boolean own = settings.exchange() == null && settings.ownQueue();
    String exchange = own ? "" : settings.exchange();
    RoutingTable<Queue> table = vhost.routing();
    Route<Queue> targets = Route.none();
    DeadLetter letter = null;
    DeathFate fate;
    if (exchange == null) {
      fate = DeathFate.NO_EXCHANGE;
    } else if (!settings.areWantedOn(cause.reason())) {
      fate = DeathFate.REASON_EXCLUDED;
    } else if (table.exchange(exchange) == null) {
      fate = DeathFate.EXCHANGE_MISSING;
    } else if (message == null) {
      fate = DeathFate.UNREADABLE;
    } else {
      letter =
          shards
              .deadLetters(source.shard())
              .letters()
              .of(
                  message,
                  source.name(),
                  cause.reason(),
                  nowMillis,
                  exchange,
                  own
                      ? OwnDeadLetterQueue.nameOf(source.name())
                      : settings.routingKeyOn(cause.reason()),
                  settings.serviceBusHeaders());
      Route<Queue> route =
          table.route(exchange, letter.routingKeys(), letter.message()::properties);
      vhost.follow(route, letter.message());
      DeadLetter dead = letter;
      targets = route.map(target -> closesCycle(dead, target) ? null : target);
      fate =
          !targets.isEmpty()
              ? DeathFate.DEAD_LETTERED
              : route.isEmpty() ? DeathFate.UNROUTABLE : DeathFate.CYCLE;
    }
    source.counters().add(Counter.of(fate), 1);
    if (!targets.isEmpty()) {
      shards.deadLetters(source.shard()).send(entry, letter.message(), targets);
    } else if (entry != null) {
      shards.store(source.shard()).settle(entry);
    }
    DeathJournal journal = shards.journal(source.shard());
    if (journal.isOn()) {
      journal.add(
          new DeathRecord(
              nowMillis,
              vhost.name(),
              source.name(),
              identity(message),
              cause,
              deadlineMillis,
              fate,
              exchange,
              letter == null ? List.of() : letter.routingKeys(),
              names(targets)));
    }
  }

  /** Decodes of the properties only what it needs. */
  private static DeathRecord.Identity identity(Message message) {
    return message == null
        ? null
        : new DeathRecord.Identity(
            RawProperties.messageId(message.content()),
            message.exchange().value(),
            message.routingKey().value());
  }

  private static List<String> names(Route<Queue> queues) {
    return switch (queues.size()) {
      case 0 -> List.of();
      case 1 -> List.of(queues.get(0).name());
      default -> queues.toList().stream().limit(DeathRecord.MOST_NAMES).map(Queue::name).toList();
    };
  }

  private boolean closesCycle(DeadLetter letter, Queue target) {
    boolean closes = letter.history().isCycle(target.name());
    if (closes) {
      reportCycle(letter, target);
    }
    return closes;
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
