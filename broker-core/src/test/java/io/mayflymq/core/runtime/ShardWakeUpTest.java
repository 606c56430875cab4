package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;

/**
 * How often a shard asks its event loop to be woken, on a loop and a clock that are moved by hand.
 */
class ShardWakeUpTest {
  private final ManualLoop loop = new ManualLoop();
  private final Shard shard =
      new Shard(0, loop, () -> Instant.ofEpochMilli(loop.now), Faults.logged());

  @Test
  void wakeUpsReplacedByEarlierOnesDoNotAccumulate() {
    for (int deadline = 1_000; deadline > 900; deadline--) {
      scheduleAt(deadline, new Ticker(0));
    }
    scheduleAt(800, new Ticker(1_000));

    loop.runUntil(5_000);

    assertThat(loop.tasksRun).isLessThan(100 + 1_000 + 200);
    assertThat(loop.scheduled).isEmpty();
  }

  @Test
  void timersFireAtTheirDeadlinesWhicheverWasSetFirst() {
    Ticker late = new Ticker(0);
    Ticker early = new Ticker(0);
    scheduleAt(50, late);
    scheduleAt(20, early);

    loop.runUntil(100);

    assertThat(early.lastFired).isEqualTo(20);
    assertThat(late.lastFired).isEqualTo(50);
  }

  private void scheduleAt(long deadline, Timer timer) {
    shard.run(() -> shard.timers().schedule(timer, deadline));
  }

  /** Fires again a millisecond later, so many times. */
  private final class Ticker extends Timer {
    private int again;
    private long lastFired;

    Ticker(int again) {
      this.again = again;
    }

    @Override
    protected void fire(long nowMillis) {
      lastFired = nowMillis;
      if (again-- > 0) {
        shard.timers().schedule(this, nowMillis + 1);
      }
    }
  }

  private record Scheduled(long at, Runnable task) {}

  private static final class ManualLoop implements EventLoop {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Scheduled> scheduled =
        new PriorityQueue<>((a, b) -> Long.compare(a.at, b.at));
    private long now;
    private int tasksRun;

    @Override
    public boolean inEventLoop() {
      return true;
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public void schedule(Runnable task, long delayMillis) {
      scheduled.add(new Scheduled(now + delayMillis, task));
    }

    void runUntil(long end) {
      for (; now <= end; now++) {
        while (!scheduled.isEmpty() && scheduled.peek().at <= now) {
          tasks.add(scheduled.poll().task);
        }
        while (!tasks.isEmpty()) {
          tasksRun++;
          tasks.poll().run();
        }
      }
    }
  }
}
