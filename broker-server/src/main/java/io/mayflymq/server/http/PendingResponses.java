package io.mayflymq.server.http;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answers that clients have not fully received, and the memory that they take. Above a limit,
 * the connection whose client has received nothing for longest is closed. So clients that read get
 * their answers, however many others do not read. On one event loop.
 *
 * @param <C> a connection
 */
final class PendingResponses<C> {
  private final long most;

  /**
   * The bytes of each answer, ordered by how long it has waited for its client, the longest first.
   */
  private final Map<C, Long> held = new LinkedHashMap<>();

  private long total;

  /**
   * @param most bytes, all together; one alone may take more
   */
  PendingResponses(long most) {
    this.most = most;
  }

  /** Adds an answer that begins to be sent; the connection has no other. */
  void begin(C connection, long bytes) {
    held.put(connection, bytes);
    total += bytes;
  }

  /**
   * Returns the connection to close so that there is room for the others; null if there is room.
   */
  C displaced() {
    return total <= most || held.size() < 2 ? null : held.keySet().iterator().next();
  }

  /** Notes that the client has received a part. */
  void goesOn(C connection) {
    Long bytes = held.remove(connection);
    if (bytes != null) {
      held.put(connection, bytes);
    }
  }

  /** Removes an answer that was sent or aborted. May be called more than once. */
  void end(C connection) {
    Long bytes = held.remove(connection);
    total -= bytes == null ? 0 : bytes;
  }
}
