package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.deathjournal.DeathBatch;
import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.Moved;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.deadletter.RedriveReport.Skipped;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;

/**
 * Finds the messages that an operator moves out of a queue, and where they go. Each keeps what it
 * is, is marked by {@link Moved}, and is noted in the death journal.
 *
 * @param source the queue that they leave
 * @param request what is asked for
 * @param conditions what else must hold
 * @param arrivedUntil what arrived later is not old enough, in ms since the epoch
 */
record MoveRouter(
    Queue source, MoveRequest request, Redrive.Conditions conditions, long arrivedUntil)
    implements Passages {
  /** Prepares it, within a burst of the queue's shard. */
  static MoveRouter of(Queue source, MoveRequest request, Redrive.Conditions conditions) {
    long age = request.choice().olderThanMillis();
    return new MoveRouter(source, request, conditions, Math.max(0, source.partition().now() - age));
  }

  @Override
  public long limit() {
    return request.choice().most();
  }

  @Override
  public long rate() {
    return 0;
  }

  @Override
  public boolean dryRun() {
    return request.dryRun();
  }

  @Override
  public long first() {
    return Math.max(0, request.choice().sequence());
  }

  @Override
  public long last() {
    return request.choice().sequence() < 0 ? Long.MAX_VALUE : request.choice().sequence();
  }

  /** As for what is published: it is nowhere else if one queue has it. */
  @Override
  public boolean needsAll() {
    return false;
  }

  @Override
  public Passage of(long sequence, MessageExtractor messages, long nowMillis) {
    MessageChoice choice = request.choice();
    long arrived = messages.enqueuedAt(sequence);
    if (arrived > arrivedUntil) {
      return Passage.none(Skipped.NOT_WANTED);
    }
    Message message = messages.message(sequence);
    if (message == null) {
      // Whether it is meant is not known, unless its number says so.
      return Passage.none(
          choice.looksInside() && choice.sequence() < 0 ? Skipped.NOT_WANTED : Skipped.UNREADABLE);
    }
    if (!choice.matches(message)) {
      return Passage.none(Skipped.NOT_WANTED);
    }
    Moved.Mark mark =
        new Moved.Mark(source.name(), sequence, source.partition().time().toMachine(nowMillis));
    long lived = messages.livedMillis(sequence, nowMillis);
    return request.exchange() == null
        ? toQueue(Moved.of(message, message.exchange(), message.routingKey(), mark, lived))
        : toExchange(message, mark, lived);
  }

  private Passage toQueue(Message moved) {
    Queue target = source.vhost().routing().queue(request.queue());
    if (target == null) {
      return Passage.none(Skipped.NO_QUEUE);
    }
    return conditions.mayPublish("", request.queue())
        ? Passage.to(source, moved, List.of(target))
        : Passage.none(Skipped.FORBIDDEN);
  }

  private Passage toExchange(Message message, Moved.Mark mark, long livedMillis) {
    RoutingTable<Queue> table = source.vhost().routing();
    String exchange = request.exchange();
    ShortString key =
        request.routingKey() == null ? message.routingKey() : ShortString.of(request.routingKey());
    if (table.exchange(exchange) == null) {
      return Passage.none(Skipped.NO_EXCHANGE);
    }
    if (!conditions.mayPublish(exchange, key.value())) {
      return Passage.none(Skipped.FORBIDDEN);
    }
    Message moved =
        Moved.of(message, ShortString.of(exchange), key, mark, livedMillis).withOneKey(true);
    Route<Queue> route = table.route(exchange, List.of(key.value()), moved::properties);
    if (route.isEmpty()) {
      return Passage.none(Skipped.UNROUTABLE);
    }
    Passage passage = Passage.to(source, moved, route.toList());
    if (passage.skipped() == null && !dryRun()) {
      source.vhost().follow(route, moved);
    }
    return passage;
  }

  @Override
  public void left(Message message, List<Queue> targets) {
    source.counters().add(Counter.MOVED, 1);
    DeathBatch deaths = source.partition().deaths();
    if (deaths.isOn()) {
      deaths.add(
          DeathRecord.removed(
              source.partition().time().toMachine(source.partition().now()),
              source.vhost().name(),
              source.name(),
              message,
              new DeathRecord.Removal(DeathRecord.Removal.Kind.MOVED, request.user()),
              targets.stream().limit(DeathRecord.MOST_NAMES).map(Queue::name).toList()),
          source.shard());
    }
  }
}
