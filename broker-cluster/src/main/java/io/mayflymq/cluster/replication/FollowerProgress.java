package io.mayflymq.cluster.replication;

import java.util.Arrays;

/** What a leader knows of one of its followers. */
final class FollowerProgress {
  /** What its connection is in. */
  enum State {
    /** There is no connection. */
    APART,
    /** There is one, and nothing was sent yet. */
    CONNECTED,
    /** It was asked what it has. */
    ASKED,
    /** It is sent each burst. */
    FOLLOWING,
    /** It takes over all that there is. */
    TAKING_OVER
  }

  /** How many messages with parts of the log it is sent ahead of what it has forced. */
  private static final int MOST_PARTS = 8;

  private final int replica;

  /** The last burst of each of the last messages that it was sent; 0 if there were fewer. */
  private final long[] ends = new long[MOST_PARTS];

  private int nextEnd;
  private State state = State.APART;
  private long sent;
  private long forced;
  private long answeredAt;
  private long caughtUpAt;
  private long leasesSentAt = PartitionFollower.NEVER;
  private long mark;
  private long markedAt;
  private boolean ended;

  /**
   * Creates it without a connection.
   *
   * @param nowMillis the time; it has had everything until now
   */
  FollowerProgress(int replica, long nowMillis) {
    this.replica = replica;
    this.caughtUpAt = nowMillis;
    this.answeredAt = PartitionFollower.NEVER;
    this.mark = Long.MAX_VALUE;
  }

  int replica() {
    return replica;
  }

  State state() {
    return state;
  }

  void enter(State next) {
    state = next;
  }

  boolean follows() {
    return state == State.FOLLOWING;
  }

  /** Returns the last burst that it was sent. */
  long sent() {
    return sent;
  }

  void sentUpTo(long number) {
    sent = number;
    ends[nextEnd] = number;
    nextEnd = (nextEnd + 1) % MOST_PARTS;
  }

  /** It is sent what comes behind a burst. */
  void begin(long after) {
    sent = after;
    Arrays.fill(ends, 0);
  }

  /** Returns whether it may be sent a further part of the log. */
  boolean hasRoomForPart() {
    return forced >= ends[nextEnd];
  }

  /** Returns the last burst that it has forced, as far as is known; 0 without a connection. */
  long forced() {
    return forced;
  }

  /** Begins anew: what it has forced is what it will say over this connection. */
  void restart() {
    forced = 0;
    sent = 0;
    mark = Long.MAX_VALUE;
  }

  /**
   * It has answered.
   *
   * @param number the last burst that it has forced
   * @param sentAt when it was sent what it has answered
   */
  void answered(long number, long sentAt) {
    forced = Math.max(forced, number);
    answeredAt = Math.max(answeredAt, sentAt);
    if (forced >= mark) {
      caughtUpAt = markedAt;
      mark = Long.MAX_VALUE;
    }
  }

  /** It is sent notes of leases. */
  void leasesSent(long nowMillis) {
    leasesSentAt = nowMillis;
  }

  /** Returns whether it has answered all notes of leases that it was sent. */
  boolean hasLeases() {
    return answeredAt >= leasesSentAt;
  }

  /** Its process has ended, or there is another one. */
  void setEnded(boolean has) {
    ended = has;
  }

  /** Returns whether its process has ended, and no other one is connected yet. */
  boolean hasEnded() {
    return ended;
  }

  /** Remembers the end of the log, to find out when the follower has reached it. */
  void mark(long last, long nowMillis) {
    if (mark == Long.MAX_VALUE) {
      mark = last;
      markedAt = nowMillis;
      if (forced >= mark && follows()) {
        caughtUpAt = nowMillis;
        mark = Long.MAX_VALUE;
      }
    }
  }

  /** Returns the latest time for which it is known that it has all that there was then. */
  long caughtUpAt() {
    return caughtUpAt;
  }

  /** Returns when the last message was sent that it has answered. */
  long answeredAt() {
    return answeredAt;
  }
}
