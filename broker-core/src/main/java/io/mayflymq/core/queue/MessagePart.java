package io.mayflymq.core.queue;

/** What of a queue's messages is meant. */
public enum MessagePart {
  /** The messages of the queue itself: ready, unacknowledged, or waiting for a retry. */
  QUEUE,
  /** The messages that wait for their time. */
  SCHEDULE,
  /** The dead letters that wait for another queue to take them. */
  WAITING_DEAD_LETTERS
}
