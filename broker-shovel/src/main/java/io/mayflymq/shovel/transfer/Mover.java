package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.client.ConnectException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves messages, and begins again when that has failed, on a thread of its own, until all is moved
 * or it is stopped. Any thread may call.
 */
public abstract class Mover {
  private static final Logger LOGGER = LoggerFactory.getLogger(Mover.class);

  /** The first pause after messages were refused; it doubles up to the delay. */
  private static final long FIRST_PAUSE_MILLIS = 100;

  /** What has run for so long may start again at once. */
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long an orderly end may take until the connections are cut. */
  private static final long STOP_MILLIS = 5_000;

  private final BrokerConnections connections;
  private final long delayMillis;
  private final Thread thread;
  private final Progress progress;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final List<BrokerConnection> open = new CopyOnWriteArrayList<>();
  private volatile Transfer transfer;

  /** The addresses whose unknown parameters the log has. */
  private final Set<BrokerUri> toldOf = new HashSet<>();

  /** Why it did not run the last time. */
  private String lastReason = "";

  /** Whether it has moved messages, or waited for some, in this attempt. */
  private boolean hasRun;

  /**
   * @param name of the thread
   * @param connections opens connections
   * @param delayMillis between attempts; 0: there is only one
   * @param progress is told how far it has got
   * @param threads makes its thread
   */
  protected Mover(
      String name,
      BrokerConnections connections,
      long delayMillis,
      Progress progress,
      BrokerThreads threads) {
    this.connections = connections;
    this.delayMillis = delayMillis;
    this.progress = progress;
    this.thread = threads.auxiliary(name, this::run);
  }

  /** Starts it, once. */
  public final void start() {
    thread.start();
  }

  /**
   * Has it stop, in order if it can be: what the destination has been sent is confirmed and
   * acknowledged first.
   */
  public final void end() {
    stopped.countDown();
    Transfer current = transfer;
    if (current != null) {
      current.stop();
    }
  }

  /** Stops it, and waits until it has stopped. Not for its own thread. */
  public final void stop() {
    end();
    try {
      thread.join(STOP_MILLIS);
      if (thread.isAlive()) {
        cut();
        thread.interrupt();
        thread.join(STOP_MILLIS);
      }
    } catch (InterruptedException e) {
      cut();
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the connections of a thread that waits for them. */
  private void cut() {
    open.forEach(BrokerConnection::close);
  }

  /** Returns whether it is to stop. */
  protected final boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Waits; returns at once when it is to stop. */
  protected final void pause(long millis) throws InterruptedException {
    stopped.await(millis, TimeUnit.MILLISECONDS);
  }

  /** Has something be done on its thread while it moves messages; nothing if it does not. */
  protected final void perform(Transfer.Action action) {
    Transfer current = transfer;
    if (current != null) {
      current.perform(action);
    }
  }

  /** It connects, once more. */
  protected abstract void starting();

  /**
   * Connects and moves messages, on its thread.
   *
   * @return whether all that was to be moved ever is moved
   */
  protected abstract boolean moveAll()
      throws ConnectException, TransferException, IOException, InterruptedException;

  /** All that was to be moved is. */
  protected abstract void done();

  /**
   * It does not run.
   *
   * @param reason without passwords
   * @param isNew whether it had run, or the last attempt failed for another reason
   */
  protected abstract void failed(String reason, boolean isNew);

  /**
   * Changes what makes an attempt fail.
   *
   * @return whether it has, so that the next attempt is made at once
   */
  protected boolean mend(String reason) {
    return false;
  }

  private void run() {
    boolean wasAtOnce = false;
    int refusals = 0;
    while (!isStopped()) {
      long started = System.nanoTime();
      long before = progress.forwarded();
      long pause = delayMillis;
      boolean atOnce = false;
      String reason;
      hasRun = false;
      starting();
      try {
        if (moveAll()) {
          done();
          return;
        }
        reason = "";
      } catch (ConnectException e) {
        reason = "failed to connect to " + e.getMessage();
      } catch (TransferException e) {
        reason = e.getMessage();
        boolean hasMoved = progress.forwarded() > before;
        atOnce =
            mend(reason)
                || (e.mayRunAtOnce()
                    && (hasMoved || !wasAtOnce || System.nanoTime() - started > STEADY_NANOS));
        if (!e.mayRunAtOnce()) {
          refusals = hasMoved ? 0 : refusals + 1;
          pause = Math.min(pause, FIRST_PAUSE_MILLIS << Math.min(refusals, 10));
        }
      } catch (IOException | ShutdownSignalException e) {
        reason = BrokerConnections.reason(e);
        atOnce = !wasAtOnce;
      } catch (RuntimeException e) {
        LOGGER.error("{} has failed", this, e);
        reason = e.toString();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      if (isStopped()) {
        return;
      }
      failed(reason, hasRun || !reason.equals(lastReason));
      lastReason = reason;
      wasAtOnce = atOnce;
      if (!atOnce && waitedEnough(pause)) {
        return;
      }
    }
  }

  /** Waits before the next attempt; returns whether there is to be none. */
  private boolean waitedEnough(long millis) {
    try {
      if (delayMillis == 0) {
        LOGGER.warn("{} is not started again, as its reconnect-delay is 0", this);
        stopped.await();
        return true;
      }
      return stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * Opens a connection, which is to be given to {@link #close}.
   *
   * @param end what it is for, in messages of failures
   * @param name of the connection
   */
  protected final BrokerConnection open(String end, List<BrokerUri> uris, String name)
      throws ConnectException {
    uris.forEach(this::tellOfUnknownParameters);
    try {
      BrokerConnection opened = connections.open(uris, name);
      open.add(opened);
      return opened;
    } catch (ConnectException e) {
      throw e.of(end);
    }
  }

  /** Once for each address: a misspelt parameter has no effect. */
  private void tellOfUnknownParameters(BrokerUri uri) {
    if (!uri.unknownParameters().isEmpty() && toldOf.add(uri)) {
      LOGGER.warn(
          "{} ignores unknown parameters of the address {}: {}; expected some of {}",
          this,
          uri,
          String.join(", ", uri.unknownParameters()),
          String.join(", ", BrokerUri.KNOWN_PARAMETERS));
    }
  }

  /** Closes a connection; null is none. */
  protected final void close(BrokerConnection connection) {
    if (connection != null) {
      open.remove(connection);
      connection.close();
    }
  }

  /** How messages are moved. */
  @FunctionalInterface
  protected interface Way {
    /** Moves them; returns whether all is moved. */
    boolean run(Transfer transfer) throws IOException, TransferException, InterruptedException;
  }

  /** Moves messages until that has an end, or it is to stop; returns whether all is moved. */
  protected final boolean move(Transfer moving, Way way)
      throws IOException, TransferException, InterruptedException {
    transfer = moving;
    hasRun = true;
    try {
      return !isStopped() && way.run(moving);
    } finally {
      transfer = null;
      progress.setPending(0);
      progress.setBlocked("");
    }
  }
}
