package io.mayflymq.server.management.resource;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.management.resource.QueueMover.NotMovedException;
import io.mayflymq.server.management.resource.RebalancePlan.Step;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out plans, one at a time, on a thread of its own. What cannot be moved stays, and the
 * others are moved all the same. Any thread may call.
 */
final class Rebalancing implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Rebalancing.class);

  private final QueueMover mover;
  private final BrokerThreads threads;
  private RebalanceProgress progress;
  private Thread thread;

  Rebalancing(QueueMover mover, BrokerThreads threads) {
    this.mover = mover;
    this.threads = threads;
  }

  /**
   * Begins to carry out a plan.
   *
   * @param user who has asked for it
   * @return false if another one is being carried out
   */
  synchronized boolean begin(RebalancePlan plan, String user) {
    if (progress != null && !progress.isOver()) {
      return false;
    }
    RebalanceProgress begun = new RebalanceProgress(plan);
    progress = begun;
    LOGGER.info("user '{}' rebalances queues: {}", user, begun);
    thread = threads.auxiliary("rebalance", () -> run(plan, begun));
    thread.start();
    return true;
  }

  /** Returns how far the last plan is carried out; null if there was none. */
  synchronized RebalanceProgress progress() {
    return progress;
  }

  private void run(RebalancePlan plan, RebalanceProgress done) {
    try {
      for (Step step : plan.steps()) {
        try {
          mover.move(step);
          done.moved(step);
        } catch (NotMovedException e) {
          LOGGER.warn("rebalancing leaves {} where it is: {}", step.placed(), e.getMessage());
          done.failed(step, e.getMessage());
        }
      }
      LOGGER.info("rebalancing has ended: {}", done);
    } catch (InterruptedException e) {
      LOGGER.info("rebalancing ends with this node: {}", done);
    } finally {
      done.end();
    }
  }

  /** Begins no further move. */
  @Override
  public synchronized void close() {
    if (thread != null) {
      thread.interrupt();
    }
  }
}
