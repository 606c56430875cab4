package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

/**
 * A broker that several tests restart together: it ends when all of them want it to, and starts
 * when all of them do. Thread-safe; one thread for each test.
 */
final class SharedRestarts implements RestartedBroker.Life {
  private final Ending ending;
  private final RestartedBroker.OwnLife life;
  private int tests;
  private int waiting;
  private long changes;
  private boolean runs;
  private Throwable failure;

  /**
   * @param tests how many there are
   */
  SharedRestarts(Ending ending, Path data, int tests) {
    this.ending = ending;
    this.tests = tests;
    this.life =
        new RestartedBroker.OwnLife(data, ending == Ending.KILL ? RestartedBroker.OwnLife.ALL : 0);
    life.start();
    runs = true;
  }

  @Override
  public Broker broker() {
    return life.broker();
  }

  @Override
  public void set(String key, Object value) {
    throw new UnsupportedOperationException("the broker is not this test's alone");
  }

  @Override
  public void start() {
    change(true);
  }

  @Override
  public void end(Ending wanted) {
    assertThat(wanted).as("the ending that this test said it has").isEqualTo(ending);
    change(false);
  }

  /** Waits until all tests want the broker to run, or all want it to end. */
  private synchronized void change(boolean run) {
    assertThat(runs).as("the broker runs").isEqualTo(!run);
    long mine = changes;
    waiting++;
    changeIfAllWait();
    try {
      while (mine == changes) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    if (failure != null) {
      throw new AssertionError("the restart that all tests share has failed", failure);
    }
  }

  private void changeIfAllWait() {
    if (waiting == 0 || waiting < tests) {
      return;
    }
    try {
      if (runs) {
        life.end(ending);
      } else {
        life.start();
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    runs = !runs;
    waiting = 0;
    changes++;
    notifyAll();
  }

  /** A test is done. */
  @Override
  public synchronized void leave() {
    tests--;
    changeIfAllWait();
  }

  /** Ends the broker; fails if it had thrown or leaked, or did not stop as it should. */
  void close() {
    if (runs && life.broker().isAlive()) {
      life.end(ending);
    }
  }
}
