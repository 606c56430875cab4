package io.mayflymq.server.rate;

import io.mayflymq.core.policy.PaceSettings.Rate;
import io.mayflymq.core.queue.Pace;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;

/**
 * How fast messages are delivered by one limit: what has passed, what is kept for consumers that
 * were called, and the lines in which others wait. Guarded by the {@link DeliveryTurns}, which say
 * who is next.
 */
final class DeliveryRate {
  /** Of what a rate lets pass in a second, a consumer takes so large a part in its turn. */
  private static final int TURNS = 100;

  private static final long NEVER = Long.MAX_VALUE;

  private final Rate rate;
  private final Pace pace;
  private final int mostInTurn;
  private final Timer timer;

  /** By the other rate that those in the line keep to; null for none. No line is empty. */
  private final Map<DeliveryRate, WaitingLine> lines = new HashMap<>();

  /** By the numbers of those who have waited longest in each. */
  private final TreeMap<Long, WaitingLine> inOrder = new TreeMap<>();

  /** How many consumers wait. */
  private int waiting;

  /** How much is kept for consumers that were called. */
  private long owed;

  /** The shard that looks when it is time; null until a consumer has waited. */
  private Shard looker;

  /** When it looks next, in ms since the epoch. */
  private long looksAt = NEVER;

  /**
   * Creates one by which nothing has passed.
   *
   * @param look called with the time in ms since the epoch when more may pass, while consumers wait
   */
  DeliveryRate(Rate rate, ObjLongConsumer<DeliveryRate> look) {
    this.rate = rate;
    this.pace = Pace.of(rate, null, 0);
    this.mostInTurn = (int) Math.max(1, Math.min(rate.burst(), rate.perSecond() / TURNS));
    this.timer =
        new Timer() {
          @Override
          protected void fire(long nowMillis) {
            look.accept(DeliveryRate.this, nowMillis);
          }
        };
  }

  Rate rate() {
    return rate;
  }

  /** Returns how many messages a consumer takes in its turn, 1 or more. */
  int mostInTurn() {
    return mostInTurn;
  }

  /**
   * Returns how many of those that may pass are for one of those who wait: those of its turn, or an
   * equal share if there are enough for more.
   */
  long share(long free) {
    return Math.min(free, Math.max(mostInTurn, free / Math.max(1, waiting)));
  }

  // Messages

  /** Returns how many may pass that are kept for none. */
  long free(long nowMillis) {
    return pace.room(nowMillis) - owed;
  }

  /** So many are kept for a consumer that is called; if negative, are not any more. */
  void owe(long count) {
    owed += count;
  }

  /** So many of those that may pass do, at the time that was asked about last. */
  void pass(long count) {
    pace.passed(count);
  }

  /** So many did not pass after all. */
  void giveBack(long count, long passedAtMillis) {
    pace.giveBack(count, passedAtMillis);
  }

  // Lines

  /** Returns the line of those who keep to this rate and the other one, or null. */
  WaitingLine line(DeliveryRate other) {
    return lines.get(other);
  }

  /** Returns the lines: first that of the consumer that has waited longest. */
  Collection<WaitingLine> lines() {
    return inOrder.values();
  }

  /** Returns the line of the consumer that has waited longest, or null. */
  WaitingLine oldest() {
    return inOrder.isEmpty() ? null : inOrder.firstEntry().getValue();
  }

  /** Adds a line, by the number of its first. */
  void add(WaitingLine line) {
    lines.put(line.other(this), line);
    inOrder.put(line.number(), line);
  }

  /** Removes a line, whose first is the same as when it was added. */
  void remove(WaitingLine line) {
    lines.remove(line.other(this));
    inOrder.remove(line.number());
  }

  // Time

  /** A consumer begins to wait: if none has before, its shard is to look when it is time. */
  void enters(Shard shard) {
    waiting++;
    if (looker == null) {
      looker = shard;
    }
  }

  /** A consumer does not wait any more. */
  void leaves() {
    waiting--;
  }

  /** Returns the shard that looks when it is time; null until a consumer has waited. */
  Shard looker() {
    return looker;
  }

  /**
   * Has it looked when more may pass than now.
   *
   * @return the shard that looks, if it is to be told when that is; else null
   */
  Shard lookLater(long nowMillis) {
    long at = pace.next(owed + Math.max(0, free(nowMillis)) + 1);
    if (at >= looksAt) {
      return null;
    }
    looksAt = at;
    return looker;
  }

  /** Has it looked as was said last. On the thread of the shard that looks. */
  void schedule() {
    if (looksAt != NEVER) {
      looker.timers().schedule(timer, looksAt);
    }
  }

  /** It looks now. */
  void looks() {
    looksAt = NEVER;
  }

  /** It is not looked any more. */
  void stop() {
    looksAt = NEVER;
    if (looker != null) {
      looker.execute(() -> looker.timers().cancel(timer));
    }
  }
}
