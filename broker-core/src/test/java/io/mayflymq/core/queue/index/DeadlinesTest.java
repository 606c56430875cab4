package io.mayflymq.core.queue.index;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The arithmetic of ends. */
class DeadlinesTest {
  private static final long NOW = 1_800_000_000_000L;

  @Test
  void deadlineIsOneMillisecondAfterThePeriod() {
    assertThat(Deadlines.after(NOW, 1)).isEqualTo(NOW + 2);
    assertThat(Deadlines.after(NOW, 315_360_000_000L)).isEqualTo(NOW + 315_360_000_001L);
  }

  @Test
  void periodOfZeroEndsImmediately() {
    assertThat(Deadlines.after(NOW, 0)).isEqualTo(NOW);
  }

  @Test
  void absentPeriodHasNoDeadline() {
    assertThat(Deadlines.after(NOW, -1)).isEqualTo(Deadlines.NEVER);
  }

  @Test
  void overflowingDeadlineIsNever() {
    assertThat(Deadlines.after(NOW, Long.MAX_VALUE)).isEqualTo(Deadlines.NEVER);
    assertThat(Deadlines.after(NOW, Long.MAX_VALUE - NOW)).isEqualTo(Deadlines.NEVER);
    assertThat(Deadlines.after(NOW, Long.MAX_VALUE - NOW - 2)).isEqualTo(Long.MAX_VALUE - 1);
  }
}
