package io.mayflymq.server.connection;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps what clients send from being handled, while the clock of a broker is moved by hand; with
 * the clock of the machine it never does. Belongs to the thread of the broker's only shard then.
 */
public final class HeldClients {
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean holds;

  /** From now on nothing is handled. */
  public void hold() {
    holds = true;
  }

  /**
   * Returns whether what came is not to be handled now.
   *
   * @param goOn is run when it is
   */
  boolean holds(Runnable goOn) {
    if (holds) {
      waiting.add(goOn);
    }
    return holds;
  }

  /** Has handled what came meanwhile, in the order in which the connections began to wait. */
  public void letGo() {
    holds = false;
    List<Runnable> went = List.copyOf(waiting);
    waiting.clear();
    went.forEach(Runnable::run);
  }
}
