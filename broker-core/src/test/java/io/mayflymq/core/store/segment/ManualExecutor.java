package io.mayflymq.core.store.segment;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** A flusher's thread that runs when the test wants. */
final class ManualExecutor implements Executor {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  void runAll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }
}
