package io.mayflymq.cluster.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockWarningTest {
  private static final int PARTITION = 3;
  private static final long LARGE = ClockWarning.TOLERANCE_MILLIS + 1;

  private final ClockWarning warning = new ClockWarning();

  @Test
  void warnsOfAClockThatIsBehindOrAhead() {
    assertThat(warning.check(PARTITION, LARGE, 1)).isTrue();
    assertThat(new ClockWarning().check(PARTITION, -LARGE, 1)).isTrue();
  }

  @Test
  void toleratesWhatNtpLeaves() {
    assertThat(warning.check(PARTITION, LARGE - 1, 1)).isFalse();
    assertThat(warning.check(PARTITION, 1 - LARGE, 1)).isFalse();
  }

  @Test
  void warnsAgainAfterAnHour() {
    assertThat(warning.check(PARTITION, LARGE, 1)).isTrue();
    assertThat(warning.check(PARTITION, LARGE, ClockWarning.QUIET_NANOS)).isFalse();
    assertThat(warning.check(PARTITION + 1, LARGE, ClockWarning.QUIET_NANOS)).isFalse();
    assertThat(warning.check(PARTITION, LARGE, 1 + ClockWarning.QUIET_NANOS)).isTrue();
  }
}
