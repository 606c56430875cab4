package io.mayflymq.core.routing;

/**
 * A queue of a table. There is one node per queue and handle, so that a route drops duplicates by
 * identity; it compares by identity for that reason.
 */
final class QueueNode<Q> implements Target<Q> {
  private final String name;
  private final Q handle;
  private final long bytes;
  // Set by the first thread that needs it; the value is immutable and equal, so a race is
  // harmless.
  private Route<Q> route;

  /**
   * Creates the node of a queue.
   *
   * @param bytes how much memory it takes, about
   */
  public QueueNode(String name, Q handle, long bytes) {
    this.name = name;
    this.handle = handle;
    this.bytes = bytes;
  }

  public String name() {
    return name;
  }

  public Q handle() {
    return handle;
  }

  public long bytes() {
    return bytes;
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
