package io.mayflymq.test;

/**
 * A queue at a moment.
 *
 * @param vhost its virtual host
 * @param name its name
 * @param type {@code classic}, {@code quorum} or {@code stream}
 * @param ready how many messages could be delivered
 * @param unacked how many messages were delivered and are not settled
 * @param delayed how many messages wait in it for their time: before a retry, or for their delay
 * @param consumers how many consumers it has
 */
public record QueueState(
    String vhost,
    String name,
    String type,
    long ready,
    long unacked,
    long delayed,
    long consumers) {
  static QueueState of(Json queue) {
    return new QueueState(
        queue.text("vhost"),
        queue.text("name"),
        queue.text("type"),
        queue.number("messages_ready"),
        queue.number("messages_unacknowledged"),
        queue.number("messages_delayed"),
        queue.number("consumers"));
  }

  /** Returns how many messages it has, in whatever state. */
  public long messages() {
    return ready + unacked + delayed;
  }

  @Override
  public String toString() {
    return "queue '%s'%s: %d ready, %d unacknowledged, %d delayed, %d consumers"
        .formatted(
            name,
            vhost.equals("/") ? "" : " in vhost '" + vhost + "'",
            ready,
            unacked,
            delayed,
            consumers);
  }
}
