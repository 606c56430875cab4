package io.mayflymq.shovel.parameter;

import io.mayflymq.core.runtime.BrokerThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adjusts what runs to what is wanted, whenever that may have changed: on a thread that is there
 * only as long as it has something to do. Any thread may call.
 */
public final class Adjustments {
  private static final Logger LOGGER = LoggerFactory.getLogger(Adjustments.class);

  private final String name;

  /** What to do; null before the start and after the end. With the lock. */
  private Runnable adjusting;

  private BrokerThreads threads;

  /** Whether something may have changed since the last adjustment. With the lock. */
  private boolean mayHaveChanged;

  /** Whether a thread adjusts. With the lock. */
  private boolean isAdjusting;

  /**
   * @param name of the thread, and of what runs
   */
  public Adjustments(String name) {
    this.name = name;
  }

  /** From now on, what is wanted is looked at when it has changed. */
  public synchronized void start(BrokerThreads makers, Runnable adjustment) {
    threads = makers;
    adjusting = adjustment;
  }

  /** What is wanted may have changed. Does not block. */
  public synchronized void changed() {
    mayHaveChanged = true;
    if (adjusting != null && !isAdjusting) {
      isAdjusting = true;
      threads.auxiliary(name, this::run).start();
    }
  }

  private void run() {
    while (true) {
      Runnable adjustment;
      synchronized (this) {
        adjustment = adjusting;
        if (!mayHaveChanged || adjustment == null) {
          isAdjusting = false;
          notifyAll();
          return;
        }
        mayHaveChanged = false;
      }
      try {
        adjustment.run();
      } catch (RuntimeException e) {
        LOGGER.error("{} could not be started or stopped", name, e);
      }
    }
  }

  /**
   * Ends: after it nothing is adjusted any more.
   *
   * @return whether the adjustment that was under way is done
   */
  public synchronized boolean stop() {
    adjusting = null;
    while (isAdjusting) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
