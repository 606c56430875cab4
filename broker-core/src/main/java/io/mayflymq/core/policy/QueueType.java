package io.mayflymq.core.policy;

/** The kinds of queue that policies tell apart. This broker makes classic ones. */
public enum QueueType {
  /** A queue of one node. */
  CLASSIC("classic"),
  /** A replicated queue. */
  QUORUM("quorum"),
  /** A replicated log that consumers read without taking from it. */
  STREAM("stream");

  private final String wireName;

  QueueType(String wireName) {
    this.wireName = wireName;
  }

  /** The name in the argument {@code x-queue-type}. */
  public String wireName() {
    return wireName;
  }
}
