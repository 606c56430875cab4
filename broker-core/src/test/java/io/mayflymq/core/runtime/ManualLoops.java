package io.mayflymq.core.runtime;

import java.util.List;
import java.util.stream.IntStream;

/** Several loops on one clock, which run in turns. */
public record ManualLoops(ManualClock clock, List<ManualLoop> all) {
  /** So many loops. */
  public static ManualLoops of(int count) {
    return of(count, new ManualClock());
  }

  /** So many loops on a clock that was there before. */
  public static ManualLoops of(int count, ManualClock clock) {
    return new ManualLoops(
        clock, IntStream.range(0, count).mapToObj(index -> new ManualLoop(clock)).toList());
  }

  public ManualLoop get(int index) {
    return all.get(index);
  }

  /** Runs what waits, and what comes of it, while the clock stands. */
  public void settle() {
    boolean ran = true;
    while (ran) {
      ran = false;
      for (ManualLoop loop : all) {
        ran |= loop.step();
      }
    }
  }

  /** Lets time pass from one scheduled task to the next, and runs everything at its time. */
  public void advance(long millis) {
    long end = clock.elapsedMillis() + millis;
    settle();
    long next = nextScheduledMillis();
    while (next <= end) {
      clock.advance(Math.max(0, next - clock.elapsedMillis()));
      settle();
      next = nextScheduledMillis();
    }
    clock.advance(end - clock.elapsedMillis());
  }

  /** In how many ms the next task is due; {@link Long#MAX_VALUE} if none waits for its time. */
  public long untilNextScheduled() {
    long next = nextScheduledMillis();
    return next == Long.MAX_VALUE ? next : Math.max(0, next - clock.elapsedMillis());
  }

  private long nextScheduledMillis() {
    return all.stream().mapToLong(ManualLoop::nextScheduledMillis).min().orElse(Long.MAX_VALUE);
  }
}
