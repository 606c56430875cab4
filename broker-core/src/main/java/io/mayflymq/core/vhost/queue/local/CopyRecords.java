package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.codec.ByteFormatException;

/**
 * The records that a copy of a queue is sent in. A slice begins with its number and the time at the
 * old place. Each record begins with its kind; times are those of the old place, in ms since the
 * epoch.
 */
final class CopyRecords {
  /** Sets which messages the following records are of: those of the queue, or of a hidden one. */
  static final int PART = 0;

  /**
   * A message: number, flags, time of arrival, own deadline, counts of returns, then the message.
   */
  static final int MESSAGE = 1;

  /** A message was returned: number, how often, how often it failed. */
  static final int RETURNED = 2;

  /** A message has left: number. */
  static final int LEFT = 3;

  /** A message is with a consumer: number. */
  static final int TAKEN = 4;

  /** A message waits for its retry: number, end of the wait. */
  static final int WAITS = 5;

  /** A message is delivered before others: number. */
  static final int AHEAD = 6;

  /** The number of the next message. */
  static final int NEXT = 7;

  /** A consumer, in the order in which they get messages: tag and channel. */
  static final int CONSUMER = 8;

  /** When the queue was last used, for its lease: time. */
  static final int LAST_USE = 9;

  // Flags of a message

  static final int REDELIVERED = 1;
  static final int HAS_DEADLINE = 2;

  /** Which messages records are of. */
  enum Part {
    QUEUE(0),
    SCHEDULE(1),
    WAITING_DEAD_LETTERS(2),
    /** Those that can be brought back: a stamp is in the place of the deadline. */
    REMOVED(3),
    /** When the time of the queue stood still: beginnings and ends are in the place of times. */
    STOPPED(4);

    private final int code;

    Part(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Part of(int code) {
      for (Part part : values()) {
        if (part.code == code) {
          return part;
        }
      }
      throw new ByteFormatException("unknown part of a copy: " + code);
    }
  }

  private CopyRecords() {}
}
