package io.mayflymq.bench;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.runtime.TimerWheel;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;

/** Measures a timer wheel with ten thousand timers within an hour, as for ten thousand queues. */
public class Timers extends Measured {
  private static final int COUNT = 10_000;
  private static final int HOUR = 3_600_000;
  private static final int BURST = 256;

  private final SplittableRandom random = new SplittableRandom(42);
  private final int[] delays = new int[1 << 16];
  private final Timer[] timers = new Timer[COUNT];
  private final Timer one = timer();
  private long now = 1_800_000_000_000L;
  private TimerWheel wheel;
  private long fired;
  private int at;

  /** Schedules the timers. */
  @Setup
  public void schedule() {
    wheel = new TimerWheel(now, Faults.logged());
    for (int i = 0; i < delays.length; i++) {
      delays[i] = 1 + random.nextInt(HOUR);
    }
    for (int i = 0; i < COUNT; i++) {
      timers[i] = timer();
      wheel.schedule(timers[i], now + delay());
    }
  }

  private Timer timer() {
    return new Timer() {
      @Override
      protected void fire(long nowMillis) {
        fired++;
        wheel.schedule(this, nowMillis + delay());
      }
    };
  }

  private int delay() {
    return delays[at++ & (delays.length - 1)];
  }

  /** Sets a timer and cancels it. */
  @Benchmark
  public int scheduleAndCancel() {
    wheel.schedule(one, now + delay());
    wheel.cancel(one);
    return wheel.size();
  }

  /** Moves a pending timer to another time. */
  @Benchmark
  public int move() {
    wheel.schedule(timers[at % COUNT], now + delay());
    return wheel.size();
  }

  /** Advances the time to the next deadline, until so many timers have fired; each is set again. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long fire() {
    long until = fired + BURST;
    while (fired < until) {
      now = wheel.nextDeadlineMillis(now);
      wheel.advance(now, (int) (until - fired));
    }
    return fired;
  }
}
