package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.Redriven;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.deadletter.RedriveReport.Skipped;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds where the messages of a dead letter queue go.
 *
 * @param source the dead letter queue
 * @param request what is asked for
 * @param conditions what else must hold
 * @param countsPublished whether an {@code x-death} header that a publisher sent tells where a
 *     message died
 */
record RedriveRouter(
    Queue source, RedriveRequest request, Redrive.Conditions conditions, boolean countsPublished)
    implements Passages {
  static RedriveRouter of(Queue source, RedriveRequest request, Redrive.Conditions conditions) {
    return new RedriveRouter(
        source,
        request,
        conditions,
        source.vhost().settingsOf(source.definition()).deadLetters().countsPublished());
  }

  @Override
  public long limit() {
    return request.limit();
  }

  @Override
  public long rate() {
    return request.rate();
  }

  @Override
  public boolean dryRun() {
    return request.dryRun();
  }

  @Override
  public long first() {
    return 0;
  }

  @Override
  public long last() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean needsAll() {
    return true;
  }

  @Override
  public void left(Message message, List<Queue> targets) {
    source.counters().add(Counter.REDRIVEN, 1);
  }

  @Override
  public Passage of(long sequence, MessageExtractor messages, long nowMillis) {
    Message message = messages.message(sequence);
    return message == null ? Passage.none(Skipped.UNREADABLE) : passage(message);
  }

  private Passage passage(Message message) {
    Message known = countsPublished ? message.withPublishedDeaths(false) : message;
    if (!request.filter().matches(known)) {
      return Passage.none(Skipped.NOT_WANTED);
    }
    Death origin = Redriven.origin(known);
    if (origin == null && request.destination() != RedriveRequest.Destination.QUEUE) {
      return Passage.none(Skipped.NO_HISTORY);
    }
    Message deadLetter = Redriven.of(message, origin, request.keepsHistory());
    return switch (request.destination()) {
      case SOURCE -> toQueue(deadLetter, origin.queue());
      case QUEUE -> toQueue(deadLetter, request.queue());
      case ORIGINAL -> toExchange(deadLetter, origin);
    };
  }

  private Passage toQueue(Message deadLetter, String name) {
    Queue target = source.vhost().routing().queue(name);
    if (target == null) {
      return Passage.none(Skipped.NO_QUEUE);
    }
    return conditions.mayPublish("", name)
        ? Passage.to(source, deadLetter, List.of(target))
        : Passage.none(Skipped.FORBIDDEN);
  }

  private Passage toExchange(Message deadLetter, Death origin) {
    RoutingTable<Queue> table = source.vhost().routing();
    String exchange = origin.exchange();
    if (table.exchange(exchange) == null) {
      return Passage.none(Skipped.NO_EXCHANGE);
    }
    if (!origin.routingKeys().stream().allMatch(key -> conditions.mayPublish(exchange, key))) {
      return Passage.none(Skipped.FORBIDDEN);
    }
    Route<Queue> route = table.route(exchange, origin.routingKeys(), deadLetter::properties);
    List<Queue> targets = new ArrayList<>(route.size());
    for (int i = 0; i < route.size(); i++) {
      targets.add(route.get(i));
    }
    if (targets.isEmpty()) {
      return Passage.none(Skipped.UNROUTABLE);
    }
    Passage passage = Passage.to(source, deadLetter, targets);
    if (passage.skipped() == null && !request.dryRun()) {
      source.vhost().follow(route, deadLetter);
    }
    return passage;
  }
}
