package io.mayflymq.core.routing;

/**
 * A queue of a table. There is one node per queue and handle, so that a route drops duplicates by
 * identity; it compares by identity for that reason.
 */
final class QueueNode<Q> implements Target<Q> {
  private final String name;
  private final Q handle;
  private final long bytes;
  private final boolean timed;
  // Set by the first thread that needs it; the value is immutable and equal, so a race is
  // harmless.
  private Route<Q> route;

  /**
   * Creates the node of a queue.
   *
   * @param bytes how much memory it takes, about
   * @param timed whether its declaration names a header with a time
   */
  public QueueNode(String name, Q handle, long bytes, boolean timed) {
    this.name = name;
    this.handle = handle;
    this.bytes = bytes;
    this.timed = timed;
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

  public boolean timed() {
    return timed;
  }

  /** Whether another node of its name is for the same handle and counts the same. */
  boolean isSame(QueueNode<Q> other) {
    return handle == other.handle && bytes == other.bytes && timed == other.timed;
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
