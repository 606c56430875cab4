package io.mayflymq.it.rounds;

import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;

/**
 * A client under load, on a connection and a thread of its own, until the broker is gone. What else
 * may end it is an error.
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

  /** The broker is about to be killed: errors of the connection are what is expected now. */
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
