package io.mayflymq.core.runtime;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The time in ms since the epoch, by the clock of the machine, but never back by more than half a
 * second. Any thread may call.
 *
 * <p>Deadlines are in ms since the epoch, as they have to mean something after a restart. So they
 * go by the clock of the machine, and that can be set while the broker runs.
 *
 * <ul>
 *   <li>Set back: what was due in a second would be due a second and the step later. So this clock
 *       does not go back. It goes on, ahead of the clock of the machine, and approaches it as
 *       slowly as clocks are corrected by NTP. What is stored is stored by the clock of the machine
 *       (held()).
 *   <li>Set ahead: this clock goes along. Whatever has its deadline in the time that was skipped is
 *       due: either that time has really passed, as the machine was suspended, or the clock was
 *       wrong before, and deadlines of earlier processes were right. But what counts how long
 *       something was not used, must not take it for time that has passed for clients (skipped()).
 * </ul>
 *
 * <p>A step is noticed at the next reading, by the clock that only measures durations.
 * CLOCK_MONOTONIC is slewed by NTP as the clock of the machine is, so the two differ by steps and
 * suspensions only; where they drift apart, the difference is followed.
 */
public final class SteadyClock implements InstantSource {
  /** A larger difference at once means that the clock was set. */
  static final long STEP_MILLIS = 500;

  /** From this difference on it is looked more closely. */
  private static final long LOOK_MILLIS = 20;

  /** In how many ms it approaches the clock of the machine by one. */
  private static final long MILLIS_PER_MILLI = 2_000;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int MOST_READINGS = 10;

  /**
   * How the clocks are related.
   *
   * @param offset the clock of the machine, less the one that measures durations
   * @param held by how much the clock was set back
   * @param heldSince when that was, by the one that measures durations
   * @param skipped by how much the clock was set ahead, in all
   */
  private record Relation(long offset, long held, long heldSince, long skipped) {
    long heldAt(long monotonicMillis) {
      return held == 0 ? 0 : Math.max(0, held - (monotonicMillis - heldSince) / MILLIS_PER_MILLI);
    }
  }

  private final InstantSource machine;
  private final LongSupplier monotonicNanos;
  private final LongConsumer onStep;
  private volatile Relation relation;

  /**
   * Creates one.
   *
   * @param machine the clock of the machine
   * @param monotonicNanos the time in ns since some moment, which nothing can set
   * @param onStep told in ms by how much the clock was set, ahead or (negative) back; called once
   *     for each step, by whichever thread reads the time next
   */
  public SteadyClock(InstantSource machine, LongSupplier monotonicNanos, LongConsumer onStep) {
    this.machine = machine;
    this.monotonicNanos = monotonicNanos;
    this.onStep = onStep;
    this.relation = new Relation(machine.millis() - monotonicMillis(), 0, 0, 0);
  }

  /** Returns one that goes along with a clock however it is set. */
  public static SteadyClock following(InstantSource clock) {
    return clock instanceof SteadyClock steady
        ? steady
        : new SteadyClock(clock, () -> clock.millis() * NANOS_PER_MILLI, step -> {});
  }

  /** Returns the clock of the machine, for what is shown. */
  public InstantSource machine() {
    return machine;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    return read(0);
  }

  /**
   * Returns how far it is ahead of the clock of the machine, since that was set back, in ms; 0 or
   * more.
   */
  public long held() {
    Relation now = relation;
    return now.held == 0 ? 0 : now.heldAt(monotonicMillis());
  }

  /**
   * Returns by how much the clock of the machine was set ahead since the start, or the machine was
   * suspended, in ms. Less this, it is a clock that nothing sets.
   */
  public long skipped() {
    return relation.skipped;
  }

  /** Returns the time less {@link #skipped}, both of the same moment. */
  public long unskipped() {
    return read(1);
  }

  /** Something that is another object after each step, for those who read several values. */
  Object steps() {
    return relation;
  }

  private long monotonicMillis() {
    return monotonicNanos.getAsLong() / NANOS_PER_MILLI;
  }

  /** Returns the time, less so many times what was skipped. */
  private long read(int lessSkipped) {
    while (true) {
      Relation now = relation;
      long wall = machine.millis();
      long monotonic = monotonicMillis();
      if (Math.abs(wall - monotonic - now.offset) <= LOOK_MILLIS) {
        return wall + now.heldAt(monotonic) - lessSkipped * now.skipped;
      }
      look();
    }
  }

  /** Compares the clocks, as each reading does if they seem to differ. */
  public void look() {
    long step;
    synchronized (this) {
      Relation now = relation;
      long monotonic = monotonicMillis();
      long difference = offset() - now.offset;
      boolean isStep = Math.abs(difference) > STEP_MILLIS;
      step = isStep ? difference : 0;
      long held = now.heldAt(monotonic);
      long skipped = now.skipped;
      if (step < 0) {
        held -= step;
      } else if (step > 0) {
        // What was set back before is set right again.
        long restored = Math.min(held, step);
        held -= restored;
        skipped += step - restored;
      }
      if (Math.abs(difference) > LOOK_MILLIS) {
        relation = new Relation(now.offset + difference, held, monotonic, skipped);
      }
    }
    if (step != 0) {
      onStep.accept(step);
    }
  }

  /** Measures the offset: a thread may stand still between the readings of the two clocks. */
  private long offset() {
    long best = Long.MAX_VALUE;
    long offset = 0;
    for (int i = 0; i < MOST_READINGS && best > 1; i++) {
      long before = monotonicMillis();
      long wall = machine.millis();
      long after = monotonicMillis();
      if (after - before < best) {
        best = after - before;
        offset = wall - before - best / 2;
      }
    }
    return offset;
  }
}
