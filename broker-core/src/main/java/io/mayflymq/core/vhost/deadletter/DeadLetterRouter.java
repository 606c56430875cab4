package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.deathjournal.DeathBatch;
import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.message.DeadLetter;
import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.DeathHistory;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.PartitionCounts.Strategy;
import io.mayflymq.core.policy.DeadLetterSettings;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends dead messages through their queue's dead letter exchange. Called on the shard of the queue
 * that they died in.
 *
 * <p>A queue that would get a message back in a cycle that no consumer took part in is left out;
 * RabbitMQ's rule and log line. One that is one of too many copies of a message is dropped ({@link
 * DeadLetterGrowth}).
 */
public final class DeadLetterRouter implements OutgoingDeadLetter.Refusals {
  private static final Logger LOGGER = LoggerFactory.getLogger(DeadLetterRouter.class);
  private static final int MOST_CYCLES_REMEMBERED = 1000;

  /** So many lost dead letters have a line each; then each power of two has one. */
  private static final int LINES = 16;

  private final QueueHost vhost;
  private final DeadLetterPublishers publishers;
  private final DeadLetterGrowth growth;
  private final AtomicLong refusedAfterDeletion = new AtomicLong();
  private final Set<List<String>> reportedCycles = ConcurrentHashMap.newKeySet();

  /** Creates the router of a virtual host. */
  public DeadLetterRouter(QueueHost vhost, DeadLetterPublishers publishers) {
    this.vhost = vhost;
    this.publishers = publishers;
    this.growth = new DeadLetterGrowth(vhost);
  }

  /**
   * Sends a dead message on, if its queue has a dead letter exchange; counts and notes what became
   * of it. Parameters as in {@link QueueEffects#died}.
   */
  public void route(
      Queue source,
      Message message,
      UnsettledEntry entry,
      DropTrigger cause,
      long deadlineMillis,
      long nowMillis) {
    Fate fate = fateOf(source, message, entry, cause, nowMillis);
    source.counters().add(Counter.of(fate.outcome), 1);
    if (vhost.tracer() != null && message != null) {
      vhost.tracer().deadLettered(source.storeName(), message, cause, fate.outcome, fate.exchange);
    }
    source
        .partition()
        .counts()
        .died(source.settings().type(), strategy(source, cause, fate.outcome), cause.reason());
    if (fate.outcome == DropOutcome.DEAD_LETTERED || fate.outcome == DropOutcome.WAITING) {
      publishers
          .of(source.partition())
          .send(
              new OutgoingDeadLetter(
                  source, entry, fate.deadLetter.message(), fate.targets, cause, nowMillis, this));
    } else if (entry != null) {
      source.partition().store().settle(entry);
    }
    DeathBatch deaths = source.partition().deaths();
    if (deaths.isOn()) {
      PartitionTime time = source.partition().time();
      deaths.add(
          new DeathRecord(
              time.toMachine(nowMillis),
              vhost.name(),
              source.name(),
              DeathRecord.Identity.of(message),
              cause,
              time.toMachine(deadlineMillis),
              fate.outcome,
              fate.exchange,
              fate.deadLetter == null ? List.of() : fate.deadLetter.routingKeys(),
              names(fate.targets)),
          source.shard());
    }
  }

  /**
   * Returns whether a queue would take the dead letter of a message, or it would wait for one; true
   * if the message cannot be read. Parameters as in {@link QueueEffects#isTaken}.
   */
  public boolean isTaken(Queue source, Message message, DropTrigger cause, long nowMillis) {
    DeadLetterSettings settings = source.settings().deadLetters();
    if (message == null || source.settings().deadLettersAtLeastOnce(cause.reason())) {
      return true;
    }
    boolean own = goesToOwnQueue(settings);
    String exchange = own ? "" : settings.exchange();
    RoutingTable<Queue> table = vhost.routing();
    if (exchange == null || table.exchange(exchange) == null) {
      return false;
    }
    DeadLetter deadLetter = deadLetterOf(source, message, cause, exchange, nowMillis);
    return !toOwnOnly(
            own,
            source,
            table.route(exchange, deadLetter.routingKeys(), deadLetter.message()::properties))
        .map(target -> deadLetter.history().isCycle(target.name()) ? null : target)
        .isEmpty();
  }

  /**
   * What becomes of a dead message.
   *
   * @param exchange where it is sent, or would be; null if its queue names none
   * @param deadLetter null if it does not become one
   * @param targets the queues that it goes to; none if it waits, or goes nowhere
   */
  private record Fate(
      DropOutcome outcome, String exchange, DeadLetter deadLetter, Route<Queue> targets) {
    static Fate noDeadLetter(DropOutcome outcome, String exchange) {
      return new Fate(outcome, exchange, null, Route.none());
    }
  }

  private Fate fateOf(
      Queue source, Message message, UnsettledEntry entry, DropTrigger cause, long nowMillis) {
    DeadLetterSettings settings = source.settings().deadLetters();
    boolean atLeastOnce = source.settings().deadLettersAtLeastOnce(cause.reason());
    // A queue's own dead letter queue is reached as any queue is, by its name.
    String exchange = goesToOwnQueue(settings) ? "" : settings.exchange();
    RoutingTable<Queue> table = vhost.routing();
    if (exchange == null) {
      return Fate.noDeadLetter(DropOutcome.NO_EXCHANGE, null);
    } else if (!settings.areWantedOn(cause.reason())) {
      return Fate.noDeadLetter(DropOutcome.REASON_EXCLUDED, exchange);
    } else if (table.exchange(exchange) == null && !atLeastOnce) {
      return Fate.noDeadLetter(DropOutcome.EXCHANGE_MISSING, exchange);
    } else if (message == null) {
      return Fate.noDeadLetter(DropOutcome.UNREADABLE, exchange);
    }
    DeadLetter deadLetter = deadLetterOf(source, message, cause, exchange, nowMillis);
    Route<Queue> route =
        toOwnOnly(
            goesToOwnQueue(settings),
            source,
            table.route(exchange, deadLetter.routingKeys(), deadLetter.message()::properties));
    vhost.follow(route, deadLetter.message());
    Route<Queue> targets = route.map(target -> closesCycle(deadLetter, target) ? null : target);
    if (growth.exceeds(table, deadLetter, targets)) {
      growth.report(deadLetter, exchange, source.partition().time().toClock(nowMillis));
      targets = Route.none();
    }
    boolean waits =
        targets.isEmpty()
            ? atLeastOnce
            : mayWait(source, cause, entry) && source.onShard().hasWaitingDeadLetters();
    if (waits) {
      return new Fate(DropOutcome.WAITING, exchange, deadLetter, Route.none());
    } else if (!targets.isEmpty()) {
      return new Fate(DropOutcome.DEAD_LETTERED, exchange, deadLetter, targets);
    }
    DropOutcome lost = route.isEmpty() ? DropOutcome.UNROUTABLE : DropOutcome.CYCLE;
    return new Fate(lost, exchange, deadLetter, targets);
  }

  /** Makes the dead letter: with another entry in its history, and addressed as its queue says. */
  private DeadLetter deadLetterOf(
      Queue source, Message message, DropTrigger cause, String exchange, long nowMillis) {
    DeadLetterSettings settings = source.settings().deadLetters();
    return publishers
        .of(source.partition())
        .deadLetters()
        .of(
            settings.countsPublished() ? message.withPublishedDeaths(false) : message,
            source.name(),
            cause.reason(),
            source.partition().time().toMachine(nowMillis),
            exchange,
            goesToOwnQueue(settings)
                ? AutoDeadLetterQueue.nameOf(source.name())
                : settings.routingKeyOn(cause.reason()),
            settings.serviceBusHeaders());
  }

  private static boolean goesToOwnQueue(DeadLetterSettings settings) {
    return settings.exchange() == null && settings.ownQueue();
  }

  /** Another queue that has the name is anyone's, and was not meant. */
  private static Route<Queue> toOwnOnly(boolean own, Queue source, Route<Queue> route) {
    return own
        ? route.map(target -> AutoDeadLetterQueue.isOf(target, source.name()) ? target : null)
        : route;
  }

  /** As in RabbitMQ, an exchange that does not exist is none. */
  private static Strategy strategy(Queue source, DropTrigger cause, DropOutcome fate) {
    if (!source.settings().deadLetters().areWantedOn(cause.reason())
        || fate == DropOutcome.EXCHANGE_MISSING) {
      return Strategy.DISABLED;
    }
    return source.settings().deadLettersAtLeastOnce(cause.reason())
        ? Strategy.AT_LEAST_ONCE
        : Strategy.AT_MOST_ONCE;
  }

  private static boolean mayWait(Queue source, DropTrigger cause, UnsettledEntry entry) {
    return source.settings().deadLettersAtLeastOnce(cause.reason())
        || (source.settings().deadLetters().keepsRefused() && entry != null);
  }

  /** Whether a dead letter waits in the queue that it comes from if no other takes it. */
  static boolean isKept(OutgoingDeadLetter deadLetter) {
    Queue source = deadLetter.source();
    return source != null
        && !source.onShard().isDeleted()
        && (deadLetter.cause() == null || mayWait(source, deadLetter.cause(), deadLetter.entry()));
  }

  /**
   * Whether a dead letter can wait in the queue that it comes from, without being lost by that,
   * although no queue has refused it.
   */
  static boolean mayWaitHere(OutgoingDeadLetter deadLetter) {
    if (!isKept(deadLetter)
        || deadLetter.cause() == DropTrigger.DELETION
        || deadLetter.cause() == DropTrigger.EXPIRES) {
      return false;
    }
    LengthSettings length = deadLetter.source().settings().length();
    return !length.isLimited() || length.overflow() != Overflow.DROP_HEAD;
  }

  @Override
  public void refused(OutgoingDeadLetter deadLetter, Move move) {
    Queue source = deadLetter.source();
    if (!isKept(deadLetter)) {
      if (source.onShard().isDeleted()) {
        warnOfLoss(source);
      }
      dropped(source, deadLetter.message(), deadLetter.cause(), deadLetter.targets());
      return;
    }
    if (deadLetter.cause() != null && !deadLetter.targets().isEmpty()) {
      source.counters().add(Counter.of(DropOutcome.WAITING), 1);
    }
    source.onShard().keepWaiting(deadLetter.message(), move);
  }

  /** A queue that was deleted meanwhile cannot keep what another one refuses. */
  private void warnOfLoss(Queue source) {
    long count = refusedAfterDeletion.incrementAndGet();
    if (count <= LINES || Long.bitCount(count) == 1) {
      LOGGER.warn(
          "a dead letter of {} is lost: no queue took it, and its queue is deleted ({} so far)",
          source,
          count);
    }
  }

  /**
   * A dead letter of a queue is lost, as no queue took it.
   *
   * @param deadLetter null if it cannot be read any more
   */
  void dropped(Queue source, Message deadLetter, DropTrigger cause, Route<Queue> targets) {
    source.counters().add(Counter.of(DropOutcome.REFUSED), 1);
    DeathBatch deaths = source.partition().deaths();
    if (deaths.isOn()) {
      deaths.add(
          new DeathRecord(
              source.shard().toMachine(source.shard().now()),
              vhost.name(),
              source.name(),
              DeathRecord.Identity.of(deadLetter),
              cause,
              Deadlines.NEVER,
              DropOutcome.REFUSED,
              deadLetter == null ? null : deadLetter.exchange().value(),
              deadLetter == null ? List.of() : List.of(deadLetter.routingKey().value()),
              names(targets)),
          source.shard());
    }
  }

  // Dead letters that have waited

  /** A dead letter as its queue's settings address it by now. */
  Message readdressed(Queue source, Message deadLetter) {
    DeadLetterSettings settings = source.settings().deadLetters();
    List<Death> deaths = DeathHistory.of(deadLetter.headers()).deaths();
    if (settings.exchange() == null || deaths.isEmpty()) {
      return deadLetter;
    }
    String key = settings.routingKeyOn(deaths.get(0).reason());
    boolean sameKey = key == null || key.equals(deadLetter.routingKey().value());
    return sameKey && settings.exchange().equals(deadLetter.exchange().value())
        ? deadLetter
        : deadLetter
            .addressedTo(
                ShortString.of(settings.exchange()),
                key == null ? deadLetter.routingKey() : ShortString.of(key))
            .withOneKey(key != null || deadLetter.hasOneKey());
  }

  /** Where a dead letter goes now; nowhere if nothing is dead-lettered any more. */
  Route<Queue> targets(Queue source, Message deadLetter) {
    if (!source.settings().deadLetters().areWanted()) {
      return Route.none();
    }
    FieldTable headers = deadLetter.headers();
    List<String> keys = new ArrayList<>();
    keys.add(deadLetter.routingKey().value());
    keys.addAll(deadLetter.carbonCopies(headers));
    keys.addAll(deadLetter.blindKeys());
    DeadLetter dead = new DeadLetter(deadLetter, keys, DeathHistory.of(headers));
    RoutingTable<Queue> table = vhost.routing();
    Route<Queue> targets =
        toOwnOnly(
                goesToOwnQueue(source.settings().deadLetters()),
                source,
                table.route(deadLetter.exchange().value(), keys, deadLetter::properties))
            .map(target -> closesCycle(dead, target) ? null : target);
    return growth.exceeds(table, dead, targets) ? Route.none() : targets;
  }

  private static List<String> names(Route<Queue> queues) {
    return switch (queues.size()) {
      case 0 -> List.of();
      case 1 -> List.of(queues.get(0).name());
      default -> queues.toList().stream().limit(DeathRecord.MOST_NAMES).map(Queue::name).toList();
    };
  }

  private boolean closesCycle(DeadLetter deadLetter, Queue target) {
    boolean closes = deadLetter.history().isCycle(target.name());
    if (closes) {
      reportCycle(deadLetter, target);
    }
    return closes;
  }

  private void reportCycle(DeadLetter deadLetter, Queue target) {
    List<String> queues =
        Stream.concat(
                Stream.of(target.name()), deadLetter.history().deaths().stream().map(Death::queue))
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
