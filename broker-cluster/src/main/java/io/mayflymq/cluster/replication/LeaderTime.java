package io.mayflymq.cluster.replication;

import io.mayflymq.core.runtime.PartitionTime;

/**
 * The time of a replicated partition on one node. On the thread of the partition.
 *
 * <p>The leader sends its time with all that it sends, at least once in a heartbeat. A follower
 * compares it with its own monotonic clock. A message is always late, by the time that it was under
 * way, and some are very late. So the largest difference of the last second or two is the best one:
 * it is too small by the shortest time that a message was under way, usually less than a
 * millisecond. A new leader is therefore not ahead of the one before it, but for the millisecond by
 * which that one may have approached its clock since, and nothing expires early.
 *
 * <p>If the clock of a leader is set, its time jumps against its monotonic clock, which it sends
 * too. What was measured before is forgotten then.
 *
 * <p>A leader lets the time of the partition approach its own clock, as slowly as clocks are
 * corrected by NTP, so that the difference does not stay for ever.
 */
final class LeaderTime {
  /** How long a measurement is used at least, in ms; at most twice as long. */
  private static final long WINDOW_MILLIS = 1_000;

  /** A larger change of the leader's clock against its monotonic one means that it was set. */
  private static final long CLOCK_WAS_SET_MILLIS = 500;

  /** In how many ms a leader's time approaches its clock by one. */
  private static final long MILLIS_PER_MILLI = 2_000;

  private static final long NONE = Long.MIN_VALUE;

  private final PartitionTime time;

  /** What the leader's time is ahead of this node's monotonic clock: the most of each window. */
  private long ahead = NONE;

  private long aheadBefore = NONE;
  private long windowBegan;

  /** The difference of the clocks of the leader, at its last message. */
  private long leaderClocks;

  private long approachedAt;

  LeaderTime(PartitionTime time) {
    this.time = time;
  }

  /**
   * The leader has sent its time.
   *
   * @param leaderMillis the time of the partition
   * @param sentAt by the monotonic clock of the leader
   * @param nowMillis by that of this node
   */
  void heard(long leaderMillis, long sentAt, long nowMillis) {
    long clocks = leaderMillis - sentAt;
    if (ahead == NONE || Math.abs(clocks - leaderClocks) > CLOCK_WAS_SET_MILLIS) {
      ahead = NONE;
      aheadBefore = NONE;
      windowBegan = nowMillis;
    } else if (nowMillis - windowBegan >= WINDOW_MILLIS) {
      aheadBefore = ahead;
      ahead = NONE;
      windowBegan = nowMillis;
    }
    leaderClocks = clocks;
    ahead = Math.max(ahead, leaderMillis - nowMillis);
  }

  /**
   * Carries the time of the last leader on, if there was one since this node was started.
   *
   * @param nowMillis by the monotonic clock of this node
   * @param clockMillis by its clock at the same moment
   */
  void carryOn(long nowMillis, long clockMillis) {
    long measured = Math.max(ahead, aheadBefore);
    if (measured != NONE) {
      time.setAhead(measured + nowMillis - clockMillis);
    }
  }

  /** This node leads: the time is its own from now on. */
  void leads(long nowMillis) {
    ahead = NONE;
    aheadBefore = NONE;
    approachedAt = nowMillis;
  }

  /** To be called regularly while this node leads. */
  void approachClock(long nowMillis) {
    long most = (nowMillis - approachedAt) / MILLIS_PER_MILLI;
    long difference = time.aheadMillis();
    if (most > 0) {
      approachedAt += most * MILLIS_PER_MILLI;
      time.setAhead(difference - Math.max(-most, Math.min(most, difference)));
    }
  }
}
