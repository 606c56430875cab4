package io.mayflymq.server.cluster.consensus.ratis;

import java.util.stream.Stream;
import org.apache.ratis.util.AwaitToRun;

/*
 * Ratis closes a log while it holds the lock of the log, and waits for the thread that evicts entries from the cache. If that thread waits for the lock, as it may
 * when a segment has just begun, both wait for ever (SegmentedRaftLog.close of 3.2.2 and 3.3.0). An interrupt ends the wait of the thread that closes.
 *
 * An interrupted thread does not wait for the thread that writes the log either, before it closes the file. So the interrupt comes late: nothing is appended
 * while the lock is held, and what was appended before is written by then.
 */
/** Closes what Ratis keeps for the cluster. Any thread may call. */
final class DivisionClose {
  private static final long PATIENCE_MILLIS = 3_000;
  private static final long LOOK_MILLIS = 100;

  private DivisionClose() {}

  /**
   * Closes, and waits for it.
   *
   * @param division closes Ratis's division
   */
  static void close(Runnable division, ConsensusThreads threads) {
    Thread closing = threads.alone("consensus-close", division);
    try {
      closing.join(PATIENCE_MILLIS);
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
