package io.mayflymq.server.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DiskMonitorTest {
  private static final long LIMIT = 50_000_000;

  private final Alarms alarms = new Alarms();
  private long free = 1L << 40;
  private boolean broken;
  private long nanos;
  private final DiskMonitor monitor =
      new DiskMonitor(
          () -> {
            if (broken) {
              throw new IOException("Input/output error");
            }
            return free;
          },
          () -> nanos,
          alarms,
          LIMIT);

  @Test
  void diskAlarmIsRaisedOnlyBelowTheLimit() {
    free = LIMIT;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
    free = LIMIT - 1;
    monitor.check();
    assertThat(alarms.raised()).containsExactly(Alarm.Resource.DISK);
    free = LIMIT;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
  }

  @Test
  void diskIsCheckedMoreOftenTheLessIsFree() {
    monitor.check();
    assertThat(monitor.delayMillis()).isEqualTo(10_000);
    free = 2 * LIMIT + 3_000_000_000L;
    monitor.check();
    assertThat(monitor.delayMillis()).as("3 GB at 1 GB/s").isEqualTo(3_000);
    free = LIMIT + 40_000_000;
    monitor.check();
    assertThat(monitor.delayMillis()).isEqualTo(100);
    free = LIMIT + 1;
    monitor.check();
    assertThat(monitor.delayMillis()).isEqualTo(100);
    free = 0;
    monitor.check();
    assertThat(monitor.delayMillis()).isEqualTo(100);
  }

  @Test
  void spaceIsWantedBelowTwiceTheLimitAndAgainWhenThatHadTime() {
    List<Long> wanted = new ArrayList<>();
    monitor.setRelief(wanted::add);
    free = 2 * LIMIT;
    monitor.check();
    assertThat(wanted).isEmpty();
    free = 2 * LIMIT - 1_000;
    monitor.check();
    assertThat(wanted).containsExactly(1_000L);
    assertThat(alarms.isRaised()).isFalse();
    nanos += TimeUnit.SECONDS.toNanos(4);
    monitor.check();
    assertThat(wanted).hasSize(1);
    nanos += TimeUnit.SECONDS.toNanos(1);
    free = LIMIT - 1;
    monitor.check();
    assertThat(wanted).containsExactly(1_000L, LIMIT + 1);
    assertThat(alarms.isRaised()).isTrue();
  }

  @Test
  void unreadableDiskDoesNotChangeTheAlarm() {
    broken = true;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
    broken = false;
    free = 0;
    monitor.check();
    broken = true;
    monitor.check();
    assertThat(alarms.isRaised()).isTrue();
    broken = false;
    free = LIMIT;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
  }

  @Test
  void diskLimitCanBeChangedAtRunTime() {
    monitor.setLimit(Long.MAX_VALUE);
    monitor.check();
    assertThat(alarms.isRaised()).isTrue();
    monitor.setLimit(0);
    free = 0;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
  }

  @Test
  void manuallyRaisedDiskAlarmStays() {
    alarms.raise(Alarm.Resource.DISK, "by hand");
    monitor.check();
    assertThat(alarms.isRaised()).isTrue();
  }
}
