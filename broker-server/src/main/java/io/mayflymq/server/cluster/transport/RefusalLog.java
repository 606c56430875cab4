package io.mayflymq.server.cluster.transport;

import io.mayflymq.core.runtime.LogLineLimit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why connections between nodes fail: a line for each reason, and not one for each attempt.
 * What strangers do cannot fill the log: their lines are limited, and counted beyond that. Any
 * thread may call.
 */
final class RefusalLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(RefusalLog.class);

  /** So many other sides are remembered. */
  private static final int MOST = 256;

  /** So many lines of each: two may alternate, as each side opens connections to the other. */
  private static final int MOST_LINES = 4;

  /** So many lines about strangers are logged in a period. */
  private static final int MOST_OF_STRANGERS = 20;

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The last lines about each other side. */
  private static final class Lines extends LinkedHashMap<String, Deque<String>> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Deque<String>> eldest) {
      return size() > MOST;
    }

    /** Adds a line, and returns whether it is none of the last ones. */
    synchronized boolean add(String side, String line) {
      Deque<String> lines = computeIfAbsent(side, other -> new ArrayDeque<>());
      if (lines.contains(line)) {
        return false;
      }
      lines.addLast(line);
      if (lines.size() > MOST_LINES) {
        lines.removeFirst();
      }
      return true;
    }

    synchronized void forget(String side) {
      remove(side);
    }
  }

  private final Lines ofNodes = new Lines();
  private final Lines ofStrangers = new Lines();
  private final LogLineLimit limit =
      new LogLineLimit(MOST_OF_STRANGERS, PERIOD_NANOS, System::nanoTime);

  /**
   * Logs a failure, if it is none of those that the same node had last.
   *
   * @param node its name
   */
  void failed(String node, String line) {
    if (ofNodes.add(node, line)) {
      LOGGER.warn("cluster: {}", line);
    }
  }

  /**
   * Logs that a connection was refused whose caller has not proven that it knows the secret.
   *
   * @param address where from
   */
  void refused(String address, String line) {
    if (ofStrangers.add(address, line)) {
      LogLineLimit.Verdict verdict = limit.next();
      if (verdict.isAdmitted()) {
        LOGGER.warn("cluster: {}{}", line, verdict.leftOut());
      }
    }
  }

  /** Notes that there is a connection, so that the next failure is logged again. */
  void established(String node) {
    ofNodes.forget(node);
  }
}
