package io.mayflymq.server.http;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The open connections of a server, whose number is limited. At the limit a new connection
 * displaces one whose client has not logged in and has sent no whole request for a while; or else
 * one that is idle between two requests; or one whose client takes nothing of its answer; or one
 * that has only just come. Of these it is the one that has waited longest. So neither incomplete
 * requests nor unread answers keep other clients out. Connections whose request is being answered
 * otherwise are never displaced. On one event loop.
 *
 * @param <C> a connection
 */
final class HttpConnections<C> {
  private final int most;
  private final Set<C> open = new LinkedHashSet<>();
  private final Set<C> unauthenticated = new LinkedHashSet<>();
  private final Set<C> idle = new LinkedHashSet<>();
  private Runnable onEmpty = () -> {};

  HttpConnections(int most) {
    this.most = most;
  }

  /**
   * Returns the connection to close for a new one; null if there is none.
   *
   * @param isStuck whether a connection has waited for its client for a while
   */
  C displaced(Predicate<C> isStuck) {
    return Stream.of(
            unauthenticated.stream().filter(isStuck),
            idle.stream(),
            open.stream().filter(isStuck),
            unauthenticated.stream())
        .flatMap(candidates -> candidates)
        .findFirst()
        .orElse(null);
  }

  boolean isFull() {
    return open.size() >= most;
  }

  /** Adds a connection, which has not logged in. */
  void add(C connection) {
    open.add(connection);
    unauthenticated.add(connection);
  }

  /** Marks a connection whose request is being answered. */
  void busy(C connection) {
    unauthenticated.remove(connection);
    idle.remove(connection);
  }

  /** Marks a connection that waits for another request, and whose last one came from a user. */
  void idle(C connection) {
    if (open.contains(connection)) {
      idle.add(connection);
    }
  }

  /**
   * Marks a connection that waits for another request, and whose last one had no valid credentials.
   */
  void unauthenticated(C connection) {
    idle.remove(connection);
    if (open.contains(connection)) {
      unauthenticated.add(connection);
    }
  }

  /** Removes a connection that has ended. */
  void remove(C connection) {
    open.remove(connection);
    unauthenticated.remove(connection);
    idle.remove(connection);
    if (open.isEmpty()) {
      onEmpty.run();
    }
  }

  /** Runs a task as soon as there is no connection, possibly at once. */
  void whenEmpty(Runnable task) {
    onEmpty = task;
    if (open.isEmpty()) {
      task.run();
    }
  }

  /** Returns all connections that are open now. */
  List<C> all() {
    return List.copyOf(open);
  }
}
