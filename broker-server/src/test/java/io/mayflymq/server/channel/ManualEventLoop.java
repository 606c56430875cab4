package io.mayflymq.server.channel;

import io.mayflymq.core.runtime.EventLoop;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A loop on the thread of the test, which sets its time. */
public final class ManualEventLoop implements EventLoop {
  private record Scheduled(long atMillis, Runnable task) {}

  final PriorityQueue<Scheduled> scheduled =
      new PriorityQueue<>(Comparator.comparingLong(Scheduled::atMillis));
  long nowMillis = 1_800_000_000_000L;

  @Override
  public boolean inEventLoop() {
    return true;
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void schedule(Runnable task, long delayMillis) {
    scheduled.add(new Scheduled(nowMillis + delayMillis, task));
  }

  void advance(long millis) {
    long end = nowMillis + millis;
    while (!scheduled.isEmpty() && scheduled.peek().atMillis <= end) {
      Scheduled next = scheduled.remove();
      nowMillis = Math.max(nowMillis, next.atMillis);
      next.task.run();
    }
    nowMillis = end;
  }
}
