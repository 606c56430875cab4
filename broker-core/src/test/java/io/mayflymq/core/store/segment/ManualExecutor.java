package io.mayflymq.core.store.segment;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A flusher's thread that runs when the test wants. */
public final class ManualExecutor extends AbstractExecutorService {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final BooleanSupplier atOnce;
  private boolean shutDown;

  public ManualExecutor() {
    this(() -> false);
  }

  /**
   * Creates an executor.
   *
   * @param atOnce whether a task runs as soon as it comes
   */
  public ManualExecutor(BooleanSupplier atOnce) {
    this.atOnce = atOnce;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (atOnce.getAsBoolean()) {
      runAll();
    }
  }

  /** Runs what waits, and what comes of it. @return whether there was anything */
  public boolean runAll() {
    boolean ran = false;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      ran = true;
    }
    return ran;
  }

  @Override
  public void shutdown() {
    shutDown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutDown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutDown;
  }

  @Override
  public boolean isTerminated() {
    return shutDown && tasks.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }
}
