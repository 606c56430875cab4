package io.mayflymq.server.cluster;

import io.mayflymq.server.net.StartException;
import java.util.concurrent.CompletableFuture;

/**
 * One start of the broker of a node, which may end before it is complete: as its metadata were
 * replaced by those of another node, so that it has to begin anew with them, or as the process is
 * to end. What waits for the cluster meanwhile waits no longer. Thread-safe.
 */
public final class BrokerStart {
  private final Runnable restart;
  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private boolean complete;
  private boolean beginsAnew;

  /** Why it has ended; null if it has not. */
  private String reason;

  /**
   * Begins a start.
   *
   * @param restart starts the broker anew, in its own time, once this start is complete
   */
  public BrokerStart(Runnable restart) {
    this.restart = restart;
  }

  /** The metadata of this node have been replaced: the broker has to start with what it has now. */
  void replaced() {
    boolean wasComplete;
    synchronized (this) {
      beginsAnew = true;
      wasComplete = complete;
    }
    if (wasComplete) {
      restart.run();
    } else {
      end("the metadata of this node have been replaced by those of another node");
    }
  }

  /** It is not to be completed, as the process ends. Has no effect once it is complete. */
  public void giveUp() {
    end("the broker was stopped while it started");
  }

  private void end(String why) {
    synchronized (this) {
      if (complete || reason != null) {
        return;
      }
      reason = why;
    }
    ended.complete(why);
  }

  /** Returns what is done when it ends before it is complete: it says why. */
  CompletableFuture<String> ended() {
    return ended;
  }

  /**
   * Requires that it goes on.
   *
   * @throws StartException if it has ended
   */
  public synchronized void requireGoingOn() throws StartException {
    if (reason != null) {
      throw new StartException(reason);
    }
  }

  /**
   * Everything is started. What replaces metadata from now on starts the broker anew.
   *
   * @return whether it is complete: false if it has ended before, so that all that was started is
   *     to be stopped
   */
  public synchronized boolean complete() {
    complete = reason == null;
    return complete;
  }

  /** Returns whether the broker is to be started once more, as its metadata were replaced. */
  public synchronized boolean beginsAnew() {
    return beginsAnew;
  }
}
