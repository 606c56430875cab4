package io.mayflymq.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The clock of a broker. It stands until it is moved. What becomes due is done in the order of its
 * time, each at its own time: what follows from a message that expires after a minute begins at
 * that minute, however far the clock is moved. A call that moves it returns when all that has
 * happened, and what is to be delivered was written to the sockets of the clients. Thread-safe.
 *
 * <p>Clients take real time to receive a message and to acknowledge it: a test waits for them as
 * always.
 */
public final class MayflyClock {
  private static final Duration LONGEST = Duration.ofDays(366);
  private static final long CLIENTS_NANOS = 10_000_000;

  private final MayflyBroker broker;

  MayflyClock(MayflyBroker broker) {
    this.broker = broker;
  }

  /** Returns the time of the broker, in whole milliseconds. */
  public Instant now() {
    return state().time("now_ms").orElseThrow();
  }

  /** Returns when something is due next, such as the expiry of a message. */
  public Optional<Instant> next() {
    return state().time("next_ms");
  }

  /**
   * Moves the clock ahead.
   *
   * @param time in whole milliseconds, not negative
   * @return the time that it is then
   */
  public Instant advance(Duration time) {
    return move(Map.of("advance_ms", time.toMillis()));
  }

  /**
   * Moves the clock to a time that is not earlier.
   *
   * @return the time that it is then
   */
  public Instant advanceTo(Instant time) {
    return move(Map.of("to_ms", time.toEpochMilli()));
  }

  /**
   * Moves the clock to the next time at which something is due, and does that.
   *
   * @return the time that it is then; empty if nothing is due, and the clock stands
   */
  public Optional<Instant> advanceToNext() {
    return next().isEmpty() ? Optional.empty() : Optional.of(move(Map.of("to_next", true)));
  }

  /**
   * Moves the clock from one due time to the next until a condition is true, for at most 366 days.
   *
   * @throws AssertionError if it is not
   */
  public void advanceUntil(BooleanSupplier condition) {
    advanceUntil(condition, LONGEST);
  }

  /**
   * Moves the clock from one due time to the next until a condition is true. Before each step the
   * clients have ten milliseconds of real time to make it true.
   *
   * @param most how far at most
   * @throws AssertionError if nothing more is due in that time, and the condition is not true
   */
  public void advanceUntil(BooleanSupplier condition, Duration most) {
    Instant begin = now();
    Instant end = begin.plus(most);
    while (!becomesTrue(condition)) {
      Optional<Instant> next = next();
      if (next.isEmpty() || next.get().isAfter(end)) {
        throw new AssertionError(
            "the condition is not true at %s, %s after %s, and %s%n%s"
                .formatted(
                    now(),
                    Duration.between(begin, now()),
                    begin,
                    next.map(at -> "nothing is due before " + at + ", after the " + most + " given")
                        .orElse("nothing more is due"),
                    broker.report()));
      }
      advanceToNext();
    }
  }

  private static boolean becomesTrue(BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > CLIENTS_NANOS) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  /** Returns it as Java has clocks, for an application that takes one; in UTC. */
  public Clock asClock() {
    return new Following(ZoneOffset.UTC);
  }

  private final class Following extends Clock {
    private final ZoneId zone;

    private Following(ZoneId zone) {
      this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
      return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
      return new Following(other);
    }

    @Override
    public Instant instant() {
      return now();
    }
  }

  private Json state() {
    return Json.of(broker.api("GET", "clock", null));
  }

  private Instant move(Map<String, Object> how) {
    return Json.of(broker.api("POST", "clock", how)).time("now_ms").orElseThrow();
  }
}
