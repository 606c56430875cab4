package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import org.junit.jupiter.api.Test;

/** A new leader carries the time of the one before it on, and is never ahead of it. */
class LeaderTimeTest {
  /** The clock of the leader, in ms since the epoch, when the monotonic clocks have this time. */
  private static final long EPOCH = 1_700_000_000_000L;

  private static final long MONOTONIC_OF_LEADER = 77;

  private final ManualClock clock = new ManualClock();
  private final PartitionTime time =
      new PartitionTime(new Shard(0, new ManualLoop(clock), clock, Faults.logged()));
  private final LeaderTime leaderTime = new LeaderTime(time);

  /** By how much the clock of the leader was set. */
  private long set;

  /** A message that is sent now and arrives after some time. */
  private void heard(long sent, long underWay) {
    leaderTime.heard(EPOCH + set + sent, MONOTONIC_OF_LEADER + sent, sent + underWay);
  }

  /** Returns how far the time is behind that of the leader, if this node leads now. */
  private long behindAt(long now) {
    long clockMillis = clock.millis();
    leaderTime.carryOn(now, clockMillis);
    return EPOCH + set + now - (clockMillis + time.aheadMillis());
  }

  @Test
  void timeIsThatOfTheClockAsLongAsNothingIsHeard() {
    leaderTime.carryOn(0, clock.millis());
    assertThat(time.aheadMillis()).isZero();
  }

  @Test
  void messageThatWasUnderWayForTheShortestTimeIsDecisive() {
    heard(0, 30);
    heard(100, 2);
    heard(200, 4_000);
    assertThat(behindAt(5_000)).isEqualTo(2);
  }

  @Test
  void oldMeasurementsAreForgotten() {
    heard(0, 1);
    for (int sent = 500; sent < 20_000; sent += 500) {
      heard(sent, 3);
    }
    assertThat(behindAt(20_000)).as("clocks drift").isEqualTo(3);
  }

  @Test
  void clockOfTheLeaderThatIsSetBackIsFollowedAtOnce() {
    heard(0, 1);
    set = -60_000;
    heard(500, 7);
    assertThat(behindAt(600)).isEqualTo(7);
    set = 5_000;
    heard(1_000, 9);
    assertThat(behindAt(1_100)).isEqualTo(9);
  }

  @Test
  void clockOfThisNodeMayBeSetInBetween() {
    heard(0, 1);
    clock.jump(3_600_000);
    assertThat(behindAt(300)).isEqualTo(1);
  }

  @Test
  void leaderApproachesItsClockByOneInTwoThousand() {
    heard(0, 0);
    clock.jump(EPOCH + 30 - clock.millis());
    leaderTime.carryOn(0, clock.millis());
    assertThat(time.aheadMillis()).isEqualTo(-30);
    leaderTime.leads(0);
    leaderTime.approachClock(1_999);
    assertThat(time.aheadMillis()).isEqualTo(-30);
    leaderTime.approachClock(2_000);
    assertThat(time.aheadMillis()).isEqualTo(-29);
    leaderTime.approachClock(9_000);
    assertThat(time.aheadMillis()).isEqualTo(-26);
    leaderTime.approachClock(100_000);
    assertThat(time.aheadMillis()).isZero();
    leaderTime.approachClock(200_000);
    assertThat(time.aheadMillis()).isZero();
  }
}
