package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.DeadLetter;
import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds dead letters whose number grows from queue to queue. Any thread may call.
 *
 * <p>Bounds how many dead letters one message becomes without a consumer.
 *
 * <p>No automatic cycle is closed, but a dead letter exchange that leads to several queues, which
 * dead-letter to it themselves, sends a message along every path through them: nine queues make
 * almost a million dead letters of one message. So a dead letter of a dead letter goes to several
 * queues only if there are not too many of its kind: the number of its targets, times, for each
 * exchange that it came through since a consumer rejected it, the number of queues that the
 * exchange leads to and that dead-letter. That is what all copies together become if they go on
 * like this one. What is routed to one queue never grows, whatever its way was, and a target that
 * does not dead-letter ends it.
 *
 * <p>The ways are those of x-death by the bindings of now. A publisher that makes one up, where
 * that counts, bounds its own messages only.
 */
final class DeadLetterGrowth {
  /** The most dead letters that fan-outs of dead letters may make of one message. */
  static final int MOST_COPIES = 1_000;

  private static final Logger LOGGER = LoggerFactory.getLogger(DeadLetterGrowth.class);
  private static final long REPORT_MILLIS = 60_000;

  private final QueueHost vhost;
  private final AtomicLong reportAtMillis = new AtomicLong(Long.MIN_VALUE);
  private final AtomicLong dropped = new AtomicLong();

  DeadLetterGrowth(QueueHost vhost) {
    this.vhost = vhost;
  }

  /**
   * Returns whether a dead letter would be one of too many.
   *
   * @param targets where it would go
   */
  boolean exceeds(RoutingTable<Queue> table, DeadLetter deadLetter, Route<Queue> targets) {
    if (targets.size() < 2) {
      return false;
    }
    List<Death> deaths = deadLetter.history().deaths();
    long enough = Math.max(2, MOST_COPIES / targets.size() + 1);
    long ways = 1;
    for (int i = 0; i + 1 < deaths.size() && isAutomatic(deaths, i); i++) {
      // What died in this queue had come as a dead letter of the queue before.
      Death death = deaths.get(i);
      Route<Queue> way =
          table.route(death.exchange(), death.routingKeys(), deadLetter.message()::properties);
      ways *= Math.max(1, growing(way, enough / ways + 1));
      if (ways >= enough) {
        return true;
      }
    }
    return false;
  }

  /** Whether a consumer had no part in this death nor in the one before. */
  private static boolean isAutomatic(List<Death> deaths, int index) {
    return deaths.get(index).reason() != DeathReason.REJECTED
        && deaths.get(index + 1).reason() != DeathReason.REJECTED;
  }

  /** How many queues of a route dead-letter; no more are counted than asked for. */
  private long growing(Route<Queue> route, long most) {
    if (route.size() < 2) {
      return route.size();
    }
    long count = 0;
    for (int i = 0; i < route.size() && count < most; i++) {
      if (route.get(i).settings().deadLetters().areWanted()) {
        count++;
      }
    }
    return count;
  }

  /** A dead letter is dropped for that; says so once a minute. */
  void report(DeadLetter deadLetter, String exchange, long nowMillis) {
    dropped.incrementAndGet();
    long due = reportAtMillis.get();
    if (nowMillis < due || !reportAtMillis.compareAndSet(due, nowMillis + REPORT_MILLIS)) {
      return;
    }
    List<String> way = new ArrayList<>();
    deadLetter.history().deaths().forEach(death -> way.add("queue '" + death.queue() + "'"));
    Collections.reverse(way);
    way.add("exchange '" + exchange + "'");
    LOGGER.warn(
        "{} dead letters dropped in vhost '{}': dead letter exchanges that lead to several queues"
            + " which dead-letter would make more than {} dead letters of one message without a"
            + " rejection. The last one came by {}",
        dropped.getAndSet(0),
        vhost.name(),
        MOST_COPIES,
        String.join(" -> ", way));
  }
}
