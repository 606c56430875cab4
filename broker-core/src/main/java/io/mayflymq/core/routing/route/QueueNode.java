package io.mayflymq.core.routing.route;

/**
 * A queue of a table. There is one node per queue and handle, so that a route drops duplicates by
 * identity; it compares by identity for that reason.
 */
public final class QueueNode<Q> implements Target<Q> {
  private final String name;
  private final Q handle;
  // Set by the first thread that needs it; the value is immutable and equal, so a race is
  // harmless.
  private Route<Q> route;

  /** Creates the node of a queue. */
  public QueueNode(String name, Q handle) {
    this.name = name;
    this.handle = handle;
  }

  public String name() {
    return name;
  }

  public Q handle() {
    return handle;
  }

  /** The route to this queue alone. */
  public Route<Q> route() {
    Route<Q> known = route;
    if (known == null) {
      known = Route.of(handle);
      route = known;
    }
    return known;
  }
}
