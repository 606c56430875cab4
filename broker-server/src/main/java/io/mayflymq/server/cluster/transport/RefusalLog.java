package io.mayflymq.server.cluster.transport;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why connections between nodes fail: a line for each reason, and not one for each attempt.
 * Any thread may call.
 */
final class RefusalLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(RefusalLog.class);

  /** So many other sides are remembered. */
  private static final int MOST = 256;

  /** So many lines of each: two may alternate, as each side opens connections to the other. */
  private static final int MOST_LINES = 4;

  private final Map<String, Deque<String>> logged =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Deque<String>> eldest) {
          return size() > MOST;
        }
      };

  /**
   * Logs a failure, if it is none of those that the same side had last.
   *
   * @param side the other side: the name of a node, or an address
   */
  void failed(String side, String line) {
    synchronized (logged) {
      Deque<String> lines = logged.computeIfAbsent(side, other -> new ArrayDeque<>());
      if (lines.contains(line)) {
        return;
      }
      lines.addLast(line);
      if (lines.size() > MOST_LINES) {
        lines.removeFirst();
      }
    }
    LOGGER.warn("cluster: {}", line);
  }

  /** Notes that there is a connection, so that the next failure is logged again. */
  void established(String side) {
    synchronized (logged) {
      logged.remove(side);
    }
  }
}
