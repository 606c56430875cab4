package io.mayflymq.server.http;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answers that clients have not fully received, and the memory that they take. Above a limit,
 * the connection whose client has received nothing for longest is closed. So clients that read get
 * their answers, however many others do not read. On one event loop.
 *
 * @param <C> a connection
 */
final class HeldAnswers<C> {
  private final long most;

  /** The bytes of each, the one first that has waited longest for its client. */
  private final Map<C, Long> held = new LinkedHashMap<>();

  private long total;

  /**
   * @param most bytes, all together; one alone may take more
   */
  HeldAnswers(long most) {
    this.most = most;
  }

  /** An answer begins to be sent; the connection has no other. */
  void begin(C connection, long bytes) {
    held.put(connection, bytes);
    total += bytes;
  }

  /** What is to be closed, so that there is room for the others; null if there is room. */
  C displaced() {
    if (total <= most || held.size() < 2) {
      return null;
    }
    Iterator<C> waiting = held.keySet().iterator();
    return waiting.next();
  }

  /** Its client has taken something. */
  void goesOn(C connection) {
    Long bytes = held.remove(connection);
    if (bytes != null) {
      held.put(connection, bytes);
    }
  }

  /** It has been sent, or is broken off. May be called again. */
  void end(C connection) {
    Long bytes = held.remove(connection);
    total -= bytes == null ? 0 : bytes;
  }
}
