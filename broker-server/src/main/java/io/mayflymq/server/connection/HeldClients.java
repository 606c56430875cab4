package io.mayflymq.server.channel;

import java.util.ArrayList;
import java.util.List;

/**
 * Holds clients while the clock of a broker is moved by hand: what they send is not handled, and
 * what is written to them is sent when there is much of it, not at the end of each burst. With the
 * clock of the machine it never does. Belongs to the thread of the broker's only shard then.
 */
public final class HeldClients {
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<Runnable> unsent = new ArrayList<>();
  private boolean holds;

  /** From now on nothing is handled. */
  public void hold() {
    holds = true;
  }

  /** Returns whether they are held. */
  boolean areHeld() {
    return holds;
  }

  /**
   * Returns whether what came is not to be handled now.
   *
   * @param goOn is run when it is
   */
  public boolean holds(Runnable goOn) {
    if (holds) {
      waiting.add(goOn);
    }
    return holds;
  }

  /** Has something sent by {@link #send}. */
  void sendLater(Runnable sending) {
    unsent.add(sending);
  }

  /** Sends what was written to clients. */
  public void send() {
    List<Runnable> sendings = List.copyOf(unsent);
    unsent.clear();
    sendings.forEach(Runnable::run);
  }

  /** Has handled what came meanwhile, in the order in which the connections began to wait. */
  public void letGo() {
    send();
    holds = false;
    List<Runnable> went = List.copyOf(waiting);
    waiting.clear();
    went.forEach(Runnable::run);
  }
}
