package io.mayflymq.core.vhost;

import io.mayflymq.core.journal.DeathJournal;
import io.mayflymq.core.journal.DeathRecord;
import io.mayflymq.core.message.DeadLetter;
import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.DeathCause;
import io.mayflymq.core.message.DeathFate;
import io.mayflymq.core.message.DeathHistory;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.settings.DeadLetterSettings;
import io.mayflymq.core.settings.Overflow;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.store.DeadEntry;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.RawProperties;
import io.mayflymq.protocol.types.ShortString;
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
    } else if (table.exchange(exchange) == null && !settings.atLeastOnce()) {
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
      boolean mayWait = mayWait(settings, entry);
      if (targets.isEmpty() ? settings.atLeastOnce() : mayWait && source.hasWaitingDeadLetters()) {
        targets = Route.none();
        fate = DeathFate.WAITING;
      }
    }
    source.counters().add(Counter.of(fate), 1);
    if (fate == DeathFate.DEAD_LETTERED || fate == DeathFate.WAITING) {
      shards
          .deadLetters(source.shard())
          .send(new OutgoingDeadLetter(source, entry, letter.message(), targets, cause));
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

  private static boolean mayWait(DeadLetterSettings settings, DeadEntry entry) {
    return settings.atLeastOnce() || (settings.keepsRefused() && entry != null);
  }

  /** Whether a letter waits in the queue that it comes from if no other takes it. */
  static boolean isKept(OutgoingDeadLetter letter) {
    Queue source = letter.source();
    return source != null
        && !source.isDeleted()
        && (letter.cause() == null || mayWait(source.settings().deadLetters(), letter.entry()));
  }

  /**
   * Whether a queue dead-letters what it refuses: then a letter that it refuses has not come to its
   * end.
   */
  static boolean passesOn(Queue target) {
    QueueSettings settings = target.settings();
    return settings.length().overflow() == Overflow.REJECT_PUBLISH_DLX
        && settings.deadLetters().areWantedOn(DeathReason.MAXLEN);
  }

  /**
   * No queue took a letter: it waits in the queue that it comes from, or is dropped. Within a move
   * of the log from its entry, if it has one.
   */
  void refused(OutgoingDeadLetter letter) {
    Queue source = letter.source();
    if (!isKept(letter)) {
      dropped(source, letter.message(), letter.cause(), letter.targets());
      return;
    }
    if (letter.cause() != null && !letter.targets().isEmpty()) {
      source.counters().add(Counter.of(DeathFate.WAITING), 1);
    }
    source.openWaitingDeadLetters().add(letter.message());
  }

  /**
   * A dead letter of a queue is lost, as no queue took it.
   *
   * @param letter null if it cannot be read any more
   */
  void dropped(Queue source, Message letter, DeathCause cause, Route<Queue> targets) {
    source.counters().add(Counter.of(DeathFate.REFUSED), 1);
    DeathJournal journal = shards.journal(source.shard());
    if (journal.isOn()) {
      journal.add(
          new DeathRecord(
              source.shard().now(),
              vhost.name(),
              source.name(),
              identity(letter),
              cause,
              Deadlines.NEVER,
              DeathFate.REFUSED,
              letter == null ? null : letter.exchange().value(),
              letter == null ? List.of() : List.of(letter.routingKey().value()),
              names(targets)));
    }
  }

  // Letters that have waited

  /** A letter as its queue's settings address it by now. */
  Message readdressed(Queue source, Message letter) {
    DeadLetterSettings settings = source.settings().deadLetters();
    List<Death> deaths = DeathHistory.of(letter.headers()).deaths();
    if (settings.exchange() == null || deaths.isEmpty()) {
      return letter;
    }
    String key = settings.routingKeyOn(deaths.get(0).reason());
    boolean sameKey = key == null || key.equals(letter.routingKey().value());
    return sameKey && settings.exchange().equals(letter.exchange().value())
        ? letter
        : letter
            .addressedTo(
                ShortString.of(settings.exchange()),
                key == null ? letter.routingKey() : ShortString.of(key))
            .withOneKey(key != null || letter.hasOneKey());
  }

  /** Where a letter goes now; nowhere if nothing is dead-lettered any more. */
  Route<Queue> targets(Queue source, Message letter) {
    if (!source.settings().deadLetters().areWanted()) {
      return Route.none();
    }
    FieldTable headers = letter.headers();
    List<String> keys = new ArrayList<>();
    keys.add(letter.routingKey().value());
    keys.addAll(letter.carbonCopies(headers));
    keys.addAll(letter.blindKeys());
    DeadLetter dead = new DeadLetter(letter, keys, DeathHistory.of(headers));
    return vhost
        .routing()
        .route(letter.exchange().value(), keys, letter::properties)
        .map(target -> closesCycle(dead, target) ? null : target);
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
