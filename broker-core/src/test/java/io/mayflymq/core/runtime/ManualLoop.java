package io.mayflymq.core.runtime;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** An event loop that runs a task on request. Its thread is the calling one, meanwhile. */
public final class ManualLoop implements EventLoop {
  private record Scheduled(long atMillis, long order, Runnable task) {}

  /**
   * A task that waits.
   *
   * @param sinceMillis since when, by the clock
   */
  private record Waiting(Runnable task, long sinceMillis) {}

  private final ManualClock clock;
  private final ArrayDeque<Waiting> tasks = new ArrayDeque<>();
  private final PriorityQueue<Scheduled> scheduled =
      new PriorityQueue<>(
          Comparator.comparingLong(Scheduled::atMillis).thenComparingLong(Scheduled::order));
  private long order;
  private boolean running;
  private long calledSinceMillis;
  private boolean atOnce;

  public ManualLoop(ManualClock clock) {
    this.clock = clock;
  }

  @Override
  public boolean inEventLoop() {
    return running;
  }

  @Override
  public void execute(Runnable task) {
    add(task);
    while (atOnce && !running && step()) {
      // A task may have brought others.
    }
  }

  private void add(Runnable task) {
    tasks.addLast(new Waiting(task, clock.millis()));
  }

  /** Whether a task runs as soon as it comes, as if the thread were another and waited for. */
  public void runAtOnce(boolean now) {
    atOnce = now;
  }

  @Override
  public long nanoTime() {
    return TimeUnit.MILLISECONDS.toNanos(clock.elapsedMillis());
  }

  @Override
  public void schedule(Runnable task, long delayMillis) {
    scheduled.add(new Scheduled(clock.elapsedMillis() + delayMillis, order++, task));
  }

  /** Runs one task, if there is one. */
  public boolean step() {
    while (nextScheduledMillis() <= clock.elapsedMillis()) {
      add(scheduled.remove().task);
    }
    Waiting next = tasks.pollFirst();
    if (next == null) {
      return false;
    }
    calledSinceMillis = next.sinceMillis;
    call(next.task);
    return true;
  }

  /** Runs a task at once, before those that wait. */
  public void call(Runnable task) {
    running = true;
    try {
      task.run();
    } finally {
      running = false;
    }
  }

  /** Does something within a task as if another thread did it meanwhile. */
  void elsewhere(Runnable work) {
    running = false;
    try {
      work.run();
    } finally {
      running = true;
    }
  }

  /**
   * Since when something has waited here, in ms by the clock: what other threads have handed over
   * and the task that runs now may deal with has not come before. To be asked within a task.
   */
  public long behindSinceMillis() {
    return tasks.isEmpty()
        ? calledSinceMillis
        : Math.min(calledSinceMillis, tasks.peekFirst().sinceMillis);
  }

  /** How many tasks wait, without those that wait for their time. */
  public int waiting() {
    return tasks.size();
  }

  /** How many tasks wait for their time. */
  public int scheduled() {
    return scheduled.size();
  }

  /**
   * When the next of them is due, on the scale of the elapsed time; {@link Long#MAX_VALUE} if there
   * is none.
   */
  long nextScheduledMillis() {
    return scheduled.isEmpty() ? Long.MAX_VALUE : scheduled.peek().atMillis;
  }
}
