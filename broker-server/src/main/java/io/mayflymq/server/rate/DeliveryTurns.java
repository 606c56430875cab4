package io.mayflymq.server.rate;

import io.mayflymq.core.policy.PaceSettings.Rate;
import io.mayflymq.core.runtime.Shard;
import java.util.List;

/**
 * Says which consumers of this node deliver when, whose user or virtual host has a rate: within any
 * second no more than the rate, and no more than the burst at once, whatever the shards of their
 * queues are.
 *
 * <p>A consumer takes what it delivers in its burst, some messages at a time, and gives back what
 * it has not delivered by the end of the burst. So the lock is not taken for each message, and what
 * is counted is what is delivered, at the time of its delivery.
 *
 * <p>When it may deliver nothing, it waits. As soon as something may be delivered, the consumer
 * that has waited longest of those that it is enough for is called. That is kept for it until it
 * has taken it, or has let it go as its queue has nothing for it: no other consumer takes it
 * before. Who wants more waits behind the others again.
 *
 * <p>Consumers that wait for two rates do not stop those that wait for one of them, and are passed
 * by while the other one lets nothing through. So that they come to their turn all the same, one
 * that has waited longer than all others for both has one message kept by the slower rate, until
 * the faster one has the next. The one that has waited longest of all is in this place.
 *
 * <p>Any thread may call that of a shard within a burst.
 */
final class DeliveryTurns {
  /** What is returned if there is no rate. */
  static final int UNBOUND = Integer.MAX_VALUE;

  /** The latest time of a shard that has asked, in ms since the epoch: they differ. */
  private long now;

  /** The number of the consumer that began to wait last. */
  private long lastNumber;

  /** Sets a rate of deliveries in the place of one before: those who wait ask again. */
  synchronized void replace(NamedRates named, Rate rate) {
    DeliveryRate before = named.deliveries();
    named.setDeliveries(rate == null ? null : new DeliveryRate(rate, this::look));
    if (before != null) {
      end(before);
    }
  }

  private void end(DeliveryRate ended) {
    for (WaitingLine line : List.copyOf(ended.lines())) {
      for (Turn turn : line.all()) {
        leave(turn);
        call(turn);
      }
      DeliveryRate other = line.other(ended);
      serve(other);
      watch(other, null);
    }
    ended.stop();
  }

  /**
   * Takes what a consumer may deliver now. If that is nothing, it waits, and is resumed when it is
   * its turn.
   *
   * @return how many messages, 0 or more; {@link #UNBOUND} if there is no rate
   */
  synchronized int take(Turn turn) {
    return take(turn, true);
  }

  /** Takes one message without waiting. Returns whether it may pass. */
  synchronized boolean takeNow(Turn turn) {
    int taken = take(turn, false);
    if (taken > 1 && taken != UNBOUND) {
      giveBack(turn, taken - 1);
    }
    return taken > 0;
  }

  @SuppressWarnings("ReferenceEquality") // each is one object
  private int take(Turn turn, boolean waits) {
    now = Math.max(now, turn.shard.now());
    DeliveryRate user = turn.ofUser.deliveries();
    DeliveryRate vhost = turn.ofVhost.deliveries();
    if (turn.user != user || turn.vhost != vhost) {
      leave(turn);
      letGo(turn);
      turn.user = user;
      turn.vhost = vhost;
    }
    if (user == null && vhost == null) {
      return UNBOUND;
    }
    serve(user);
    serve(vhost);
    long taken = turn.owed;
    if (taken > 0) {
      owe(turn, 0);
    } else if (turn.line == null) {
      taken = Math.max(0, most(user, vhost, null));
      if (taken == 0 && waits) {
        enter(turn);
      }
    }
    if (taken > 0) {
      turn.takenAt = now;
      pass(user, taken);
      pass(vhost, taken);
    }
    watch(user, turn.shard);
    watch(vhost, turn.shard);
    return (int) taken;
  }

  private static void pass(DeliveryRate rate, long count) {
    if (rate != null) {
      rate.pass(count);
    }
  }

  /** Returns whether a consumer waits, and was not called. */
  synchronized boolean waits(Turn turn) {
    return turn.line != null;
  }

  /** Gives back what was taken last and is not delivered, or a part of it. */
  synchronized void giveBack(Turn turn, long count) {
    giveBack(turn.user, turn, count);
    giveBack(turn.vhost, turn, count);
    served(turn.user, turn.vhost, turn.shard);
  }

  private static void giveBack(DeliveryRate rate, Turn turn, long count) {
    if (rate != null) {
      rate.giveBack(count, turn.takenAt);
    }
  }

  /** A consumer was called: what it has not taken by now is for others. */
  private synchronized void hadTurn(Turn turn, long call) {
    if (turn.calls == call) {
      letGo(turn);
    }
  }

  private synchronized void look(DeliveryRate rate, long nowMillis) {
    now = Math.max(now, nowMillis);
    rate.looks();
    if (rate.oldest() != null) {
      serve(rate);
      watch(rate, rate.looker());
    }
  }

  // Who is next

  /**
   * Returns how many messages a consumer may deliver now.
   *
   * @param line that in which it waits; null if it does not
   */
  private long most(DeliveryRate user, DeliveryRate vhost, WaitingLine line) {
    return Math.min(most(user, line), most(vhost, line));
  }

  @SuppressWarnings("ReferenceEquality") // each is one object
  private long most(DeliveryRate rate, WaitingLine line) {
    if (rate == null) {
      return UNBOUND;
    }
    WaitingLine first = keepsOneFor(rate);
    long kept = first == null || first == line ? 0 : 1;
    long free = rate.free(now) - kept;
    return line == null ? Math.min(rate.mostInTurn(), free) : rate.share(free);
  }

  /** Returns whose turn one message of a rate is kept for, as the other rate is late; or null. */
  @SuppressWarnings("ReferenceEquality") // each is one object
  private WaitingLine keepsOneFor(DeliveryRate rate) {
    WaitingLine first = rate.oldest();
    DeliveryRate other = first == null ? null : first.other(rate);
    if (other == null || other.oldest() != first || other.free(now) > 0) {
      return null;
    }
    long slower = Long.compare(rate.rate().perSecond(), other.rate().perSecond());
    return slower < 0 || (slower == 0 && rate == first.user()) ? first : null;
  }

  /** Calls those who wait for a rate, as long as something may be delivered. */
  private void serve(DeliveryRate rate) {
    if (rate != null) {
      while (rate.free(now) > 0 && serveNext(rate)) {
        // The next one.
      }
    }
  }

  private boolean serveNext(DeliveryRate rate) {
    for (WaitingLine line : rate.lines()) {
      long count = most(line.user(), line.vhost(), line);
      if (count > 0) {
        Turn first = line.first();
        leave(first);
        owe(first, count);
        call(first);
        return true;
      }
    }
    return false;
  }

  private void served(DeliveryRate user, DeliveryRate vhost, Shard current) {
    serve(user);
    serve(vhost);
    watch(user, current);
    watch(vhost, current);
  }

  private void call(Turn turn) {
    turn.calls++;
    long call = turn.calls;
    turn.resumeThen.accept(() -> hadTurn(turn, call));
  }

  /** So many messages are kept for a consumer from now on. */
  private static void owe(Turn turn, long count) {
    long more = count - turn.owed;
    turn.owed = count;
    if (turn.user != null) {
      turn.user.owe(more);
    }
    if (turn.vhost != null) {
      turn.vhost.owe(more);
    }
  }

  private void letGo(Turn turn) {
    if (turn.owed > 0) {
      owe(turn, 0);
      served(turn.user, turn.vhost, turn.shard);
    }
  }

  /**
   * Sees to it that a rate is looked at again when more may pass. If some may pass now, those who
   * wait for it wait for another rate, too, which is looked at.
   *
   * @param current the shard whose thread calls, within a burst; null if that is not known
   */
  @SuppressWarnings("ReferenceEquality") // each is one object
  private void watch(DeliveryRate rate, Shard current) {
    if (rate == null || rate.oldest() == null) {
      return;
    }
    long kept = keepsOneFor(rate) == null ? 0 : 1;
    if (rate.free(now) > kept) {
      return;
    }
    Shard looker = rate.lookLater(now);
    if (looker != null && looker == current) {
      rate.schedule();
    } else if (looker != null) {
      looker.execute(() -> schedule(rate));
    }
  }

  private synchronized void schedule(DeliveryRate rate) {
    rate.schedule();
  }

  // Lines

  private void enter(Turn turn) {
    DeliveryRate first = turn.user == null ? turn.vhost : turn.user;
    WaitingLine line = first.line(first == turn.user ? turn.vhost : null);
    lastNumber++;
    turn.number = lastNumber;
    if (line == null) {
      line = new WaitingLine(turn.user, turn.vhost);
      line.add(turn);
      put(line);
    } else {
      line.add(turn);
    }
    turn.line = line;
    if (turn.user != null) {
      turn.user.enters(turn.shard);
    }
    if (turn.vhost != null) {
      turn.vhost.enters(turn.shard);
    }
  }

  private static void leave(Turn turn) {
    WaitingLine line = turn.line;
    if (line != null) {
      take(line);
      line.remove(turn);
      turn.line = null;
      if (!line.isEmpty()) {
        put(line);
      }
      if (turn.user != null) {
        turn.user.leaves();
      }
      if (turn.vhost != null) {
        turn.vhost.leaves();
      }
    }
  }

  private static void put(WaitingLine line) {
    if (line.user() != null) {
      line.user().add(line);
    }
    if (line.vhost() != null) {
      line.vhost().add(line);
    }
  }

  private static void take(WaitingLine line) {
    if (line.user() != null) {
      line.user().remove(line);
    }
    if (line.vhost() != null) {
      line.vhost().remove(line);
    }
  }
}
