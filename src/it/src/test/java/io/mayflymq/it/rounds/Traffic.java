package io.mayflymq.it.rounds;

import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;

/**
 * A client under load, on its own connection and thread, until the broker is killed. Any other end
 * is an error.
 */
abstract class Traffic implements Runnable {
  private final String name;
  private Thread thread;
  private volatile Throwable failure;
  private volatile boolean killed;

  Traffic(String name) {
    this.name = name;
  }

  /** Works until the connection breaks. */
  abstract void work() throws IOException, InterruptedException;

  final void start() {
    thread = new Thread(this, name);
    thread.start();
  }

  /** Notes that the broker is about to be killed: connection errors are expected from now on. */
  final void expectTheEnd() {
    killed = true;
  }

  /** Waits for the end; fails if it came too early or for another reason. */
  final void join() throws InterruptedException {
    thread.join(20_000);
    if (thread.isAlive()) {
      throw new AssertionError(name + " does not end");
    }
    if (failure != null) {
      throw new AssertionError(name + " has failed", failure);
    }
  }

  @Override
  public final void run() {
    try {
      work();
    } catch (IOException | ShutdownSignalException e) {
      if (!killed) {
        failure = e;
      }
    } catch (InterruptedException | RuntimeException | AssertionError e) {
      failure = e;
    }
  }
}
