package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.UnconfirmedChangeException;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.net.StartException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes changes of metadata that a node cannot do without when it begins a cluster. Other nodes may
 * have a vote by then, and be slow: what a majority has not confirmed is made again, for some time.
 *
 * @param start the start of the broker; when it has ended, nothing is made again
 * @param patienceMillis for how long it is made again
 * @param pauseMillis the pause before each further attempt
 */
public record UntilConfirmed(BrokerStart start, long patienceMillis, long pauseMillis) {
  private static final Logger LOGGER = LoggerFactory.getLogger(UntilConfirmed.class);

  /**
   * Makes changes.
   *
   * @param changes makes them, and waits until they are in force; may do so several times, and
   *     fails with a {@link CompletionException}
   * @throws StartException if they are not confirmed in time, or the start has ended
   * @throws CompletionException if they fail in another way
   */
  public void make(Runnable changes) throws StartException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    while (true) {
      try {
        changes.run();
        return;
      } catch (CompletionException e) {
        start.requireGoingOn();
        if (!(Causes.of(e) instanceof UnconfirmedChangeException late)) {
          throw e;
        }
        if (System.nanoTime() >= until) {
          throw new StartException(
              "the cluster has not confirmed what every broker has: " + late.detail(), e);
        }
        LOGGER.warn(
            "the cluster has not confirmed yet what every broker has, and is asked again: {}",
            late.detail());
      }
      pause();
    }
  }

  private void pause() throws StartException {
    try {
      TimeUnit.MILLISECONDS.sleep(pauseMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while waiting for the cluster", e);
    }
    start.requireGoingOn();
  }
}
