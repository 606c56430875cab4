package io.mayflymq.cluster.simulation;

import java.util.Arrays;

/** What has happened in a cluster, as one number: equal for programs that have repeated exactly. */
final class Trace {
  private long value;

  private void note(long next) {
    value = value * 31 + next;
  }

  /** A node has sent a frame to another one. */
  void sent(long elapsedMillis, int type, byte[] body) {
    note(elapsedMillis);
    note(type);
    note(Arrays.hashCode(body));
  }

  /** The cluster has agreed upon a change. */
  void agreed(int index, int bytes) {
    note(index);
    note(bytes);
  }

  /** A client was given a message. */
  void delivered(Delivery delivery) {
    note(delivery.queue.id());
    note(delivery.number());
    note(delivery.sequence);
    note(delivery.redelivered ? 1 : 0);
  }

  /** A client was told what became of a message. */
  void outcome(int number, boolean accepted, boolean lost) {
    note(number);
    note((accepted ? 2 : 0) + (lost ? 1 : 0));
  }

  long value() {
    return value;
  }
}
