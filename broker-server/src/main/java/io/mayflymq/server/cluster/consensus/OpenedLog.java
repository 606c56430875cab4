package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.util.stream.Stream;
import org.apache.ratis.util.AwaitToRun;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a member, opened by Ratis, with all that works on it. It is closed as a whole, since
 * each of these uses others until its end.
 *
 * <p>Ratis closes a log while it holds the lock of the log, and waits for the thread that evicts
 * entries from the cache. If that thread waits for the lock, as it may when a segment has just
 * begun, both wait for ever (SegmentedRaftLog.close of 3.2.2 and 3.3.0). An interrupt ends the wait
 * of the thread that closes.
 *
 * <p>An interrupted thread does not wait for the thread that writes the log either, before it
 * closes the file. So the interrupt comes late: nothing is appended while the lock is held, and
 * what was appended before is written by then.
 *
 * @param view Ratis's server, and what it knows of the members
 * @param peers the way to the other members
 * @param applied applies the committed entries
 * @param recent where the last proposals were committed
 * @param watcher tells listeners of leaders and members
 */
record OpenedLog(
    ServerView view,
    Peers peers,
    AppliedEntries applied,
    RecentProposals recent,
    LogWatcher watcher,
    ConsensusThreads threads)
    implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(OpenedLog.class);
  private static final long CLOSE_MILLIS = 3_000;
  private static final long LOOK_MILLIS = 100;

  /** Ends the work on the log, but not the threads. */
  void stop() {
    watcher.end();
    applied.close();
    close(view.division()::close, threads);
    try {
      view.server().close();
    } catch (IOException e) {
      LOGGER.warn("the log of the cluster was not closed: {}", Failures.text(e));
    }
  }

  @Override
  public void close() {
    stop();
    threads.close();
  }

  /** Closes Ratis's division, and waits for it. */
  static void close(Runnable division, ConsensusThreads threads) {
    Thread closing = threads.alone("consensus-close", division);
    try {
      closing.join(CLOSE_MILLIS);
      while (closing.isAlive()) {
        if (waitsForEviction(closing)) {
          closing.interrupt();
        }
        closing.join(LOOK_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean waitsForEviction(Thread closing) {
    return Stream.of(closing.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().equals(AwaitToRun.class.getName())
                    && frame.getMethodName().equals("close"));
  }
}
