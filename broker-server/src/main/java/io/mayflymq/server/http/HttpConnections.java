package io.mayflymq.server.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The open connections of a server, whose number is limited. At the limit a new connection
 * displaces one whose client has not logged in, or else one that is idle between two requests; of
 * these the one that has waited longest. So incomplete requests cannot keep other clients out.
 * Connections whose request is being answered are never displaced. On one event loop.
 *
 * @param <C> a connection
 */
final class HttpConnections<C> {
  private final int most;
  private final Set<C> open = new LinkedHashSet<>();
  private final Set<C> strangers = new LinkedHashSet<>();
  private final Set<C> idle = new LinkedHashSet<>();
  private Runnable onEmpty = () -> {};

  HttpConnections(int most) {
    this.most = most;
  }

  /** What is to be closed for one more; null if there is nothing. */
  C displaced() {
    Iterator<C> waiting = (strangers.isEmpty() ? idle : strangers).iterator();
    return waiting.hasNext() ? waiting.next() : null;
  }

  boolean isFull() {
    return open.size() >= most;
  }

  /** One more, which has not logged in. */
  void add(C connection) {
    open.add(connection);
    strangers.add(connection);
  }

  /** Its request is being answered. */
  void busy(C connection) {
    strangers.remove(connection);
    idle.remove(connection);
  }

  /** It waits for another request, and the last one came from a user. */
  void idle(C connection) {
    if (open.contains(connection)) {
      idle.add(connection);
    }
  }

  /** It waits for another request, and the last one had no valid credentials. */
  void stranger(C connection) {
    idle.remove(connection);
    if (open.contains(connection)) {
      strangers.add(connection);
    }
  }

  /** It has ended. */
  void remove(C connection) {
    open.remove(connection);
    strangers.remove(connection);
    idle.remove(connection);
    if (open.isEmpty()) {
      onEmpty.run();
    }
  }

  /** Has something done once there is none, at once if that is so now. */
  void whenEmpty(Runnable task) {
    onEmpty = task;
    if (open.isEmpty()) {
      task.run();
    }
  }

  /** All that are open, at this moment. */
  List<C> all() {
    return List.copyOf(open);
  }
}
