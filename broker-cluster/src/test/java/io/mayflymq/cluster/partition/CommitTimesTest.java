package io.mayflymq.cluster.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommitTimesTest {
  private static final long MILLI = 1_000_000;

  private final CommitTimes times = new CommitTimes();

  @Test
  void eachBurstTakesFromItsEndToItsCommit() {
    times.appended(7, 0);
    times.appended(8, 3 * MILLI);
    times.committed(6, 4 * MILLI);
    assertThat(times.read().count()).isZero();

    times.committed(8, 10 * MILLI);
    assertThat(times.read().count()).isEqualTo(2);
    assertThat(times.read().sum()).isEqualTo(0.017);
    assertThat(times.lastNanos()).isEqualTo(7 * MILLI);

    times.committed(8, 20 * MILLI);
    assertThat(times.read().count()).isEqualTo(2);
  }

  @Test
  void manyBurstsWait() {
    for (int number = 60; number < 1060; number++) {
      times.appended(number, number);
      times.committed(number - 500, number);
    }
    assertThat(times.read().count()).isEqualTo(500);
    times.committed(2000, 1060);
    assertThat(times.read().count()).isEqualTo(1000);
    assertThat(times.lastNanos()).isEqualTo(1);
  }

  @Test
  void whatAnotherLeaderCommitsIsNotMeasured() {
    times.appended(1, 0);
    times.clear();
    times.committed(1, MILLI);
    assertThat(times.read().count()).isZero();

    times.appended(5, MILLI);
    times.committed(5, 2 * MILLI);
    assertThat(times.lastNanos()).isEqualTo(MILLI);
  }
}
