package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimerWheelTest {
  private static final long START = 1_800_000_000_000L;
  private static final long TEN_YEARS = 315_360_000_000L;
  private static final int PLENTY = 1_000_000;

  private final RecordedFaults faults = new RecordedFaults();
  private final TimerWheel wheel = new TimerWheel(START, faults);
  private final List<Probe> fired = new ArrayList<>();

  private class Probe extends Timer {
    Runnable action = () -> {};
    long wanted;

    @Override
    protected void fire(long nowMillis) {
      fired.add(this);
      action.run();
    }
  }

  private Probe scheduled(long deadline) {
    Probe probe = new Probe();
    probe.wanted = deadline;
    wheel.schedule(probe, deadline);
    return probe;
  }

  @Test
  void emptyWheelNeverNeedsToBeAdvanced() {
    assertThat(wheel.nextDeadlineMillis(START)).isEqualTo(Long.MAX_VALUE);
    assertThat(wheel.advance(START + TEN_YEARS, PLENTY)).isZero();
  }

  @Test
  void timerFiresExactlyAtItsDeadline() {
    Probe probe = scheduled(START + 1_234_567);

    assertThat(wheel.nextDeadlineMillis(START)).isEqualTo(START + 1_234_567);
    assertThat(wheel.advance(START + 1_234_566, PLENTY)).isZero();
    assertThat(probe.isScheduled()).isTrue();
    assertThat(probe.deadlineMillis()).isEqualTo(START + 1_234_567);
    assertThat(wheel.advance(START + 1_234_567, PLENTY)).isEqualTo(1);
    assertThat(probe.isScheduled()).isFalse();
    assertThat(probe.deadlineMillis()).isEqualTo(Long.MAX_VALUE);
    assertThat(wheel.advance(START + TEN_YEARS, PLENTY)).isZero();
  }

  @Test
  void distantTimersNeedNoPeriodicWakeUps() {
    for (int i = 0; i < 10_000; i++) {
      scheduled(START + 3_600_000 + i * 100L);
    }

    long now = START;
    int calls = 0;
    while (wheel.size() > 0) {
      now = wheel.nextDeadlineMillis(now);
      assertThat(wheel.advance(now, PLENTY)).isEqualTo(1);
      calls++;
    }

    assertThat(calls).isEqualTo(10_000);
    assertThat(now).isEqualTo(START + 3_600_000 + 9_999 * 100);
  }

  @Test
  void timerWithAPastDeadlineFiresAtTheNextAdvance() {
    scheduled(START - 5);
    scheduled(Long.MIN_VALUE);

    assertThat(wheel.nextDeadlineMillis(START)).isEqualTo(START);
    assertThat(wheel.advance(START, PLENTY)).isEqualTo(2);
  }

  @Test
  void timerWithTheLargestDeadlineNeverFires() {
    Probe never = scheduled(Long.MAX_VALUE);
    scheduled(Long.MAX_VALUE - 1);

    assertThat(wheel.nextDeadlineMillis(START)).isEqualTo(Long.MAX_VALUE - 1);
    assertThat(wheel.advance(START + 1000 * TEN_YEARS, PLENTY)).isZero();
    assertThat(wheel.advance(Long.MAX_VALUE - 1, PLENTY)).isEqualTo(1);
    assertThat(never.isScheduled()).isTrue();
  }

  @Test
  void advanceFiresAtMostItsBudgetAndReportsDueTimers() {
    for (int i = 0; i < 1_000; i++) {
      scheduled(START + 50);
    }

    for (int call = 1; call <= 10; call++) {
      assertThat(wheel.nextDeadlineMillis(START + 50)).isEqualTo(START + 50);
      assertThat(wheel.advance(START + 50, 100)).isEqualTo(100);
      assertThat(wheel.size()).isEqualTo(1_000 - call * 100);
    }
    assertThat(wheel.nextDeadlineMillis(START + 50)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void largeSlotIsSplitWithinTheBudget() {
    long slotStart = (START / 262_144 + 1) * 262_144;
    for (int i = 0; i < 20_000; i++) {
      scheduled(slotStart + i % 8_000);
    }

    long now = slotStart + 3_999;
    int calls = 0;
    while (wheel.nextDeadlineMillis(now) <= now) {
      wheel.advance(now, 100);
      calls++;
    }

    assertThat(fired).hasSize(12_000).allMatch(probe -> !probe.isScheduled());
    assertThat(calls).as("calls of bounded work").isBetween(120, 200);
    assertThat(wheel.nextDeadlineMillis(now)).isEqualTo(now + 1);
  }

  @Test
  void timerScheduledInThePastByACallbackWaitsForTheNextAdvance() {
    Probe probe = scheduled(START + 10);
    probe.action = () -> wheel.schedule(probe, START);

    for (int call = 1; call <= 3; call++) {
      assertThat(wheel.advance(START + 10, PLENTY)).isEqualTo(1);
      assertThat(wheel.nextDeadlineMillis(START + 10)).isEqualTo(START + 10);
    }
  }

  @Test
  void timerThatIsAlwaysDueDoesNotDelayOthers() {
    Probe greedy = scheduled(START);
    greedy.action = () -> wheel.schedule(greedy, START);
    Probe other = scheduled(START + 1);

    wheel.advance(START + 1, 1);
    wheel.advance(START + 1, 1);

    assertThat(fired).contains(other);
  }

  @Test
  void callbackOfATimerCanCancelAnotherDueTimer() {
    Probe first = scheduled(START + 10);
    Probe second = scheduled(START + 10);
    first.action = () -> wheel.cancel(second);

    assertThat(wheel.advance(START + 10, PLENTY)).isEqualTo(1);
    assertThat(fired).containsExactly(first);
    assertThat(wheel.size()).isZero();
  }

  @Test
  void noTimerFiresEarlyAfterTheClockIsSetBack() {
    scheduled(START + 5_000);
    wheel.advance(START + 3_600_000 - 1, PLENTY);
    fired.clear();
    Probe early = scheduled(START + 10_000);
    Probe late = scheduled(START + 3_600_000);

    assertThat(wheel.advance(START, PLENTY)).isZero();
    assertThat(wheel.nextDeadlineMillis(START)).isEqualTo(START + 10_000);
    assertThat(wheel.advance(START + 9_999, PLENTY)).isZero();
    assertThat(wheel.advance(START + 10_000, PLENTY)).isEqualTo(1);
    assertThat(wheel.advance(START + 3_599_999, PLENTY)).isZero();
    assertThat(wheel.advance(START + 3_600_000, PLENTY)).isEqualTo(1);
    assertThat(fired).containsExactly(early, late);
  }

  @Test
  void noTimerFiresEarlyIfTheClockIsSetBackBetweenAdvances() {
    for (int i = 1; i <= 60; i++) {
      scheduled(START + i);
      scheduled(START + 100_000 + i);
    }
    wheel.advance(START + 100_050, 1);
    scheduled(START + 50);
    fired.clear();

    for (long now : new long[] {START + 20, START, START + 30, START + 100_010}) {
      while (wheel.nextDeadlineMillis(now) <= now) {
        wheel.advance(now, 1);
        assertThat(fired).allMatch(probe -> probe.wanted <= now);
      }
    }
    assertThat(fired).hasSize(59 + 1 + 10);
    assertThat(wheel.nextDeadlineMillis(START + 100_010)).isEqualTo(START + 100_011);
  }

  @Test
  void dueTimersFireInTheOrderOfTheirDeadlines() {
    Random random = new Random(4);
    for (int i = 0; i < 2_000; i++) {
      scheduled(START + 1 + random.nextInt(10_000_000));
    }

    while (wheel.nextDeadlineMillis(START + 10_000_000) <= START + 10_000_000) {
      wheel.advance(START + 10_000_000, 100);
    }

    assertThat(fired).hasSize(2_000).isSortedAccordingTo(Comparator.comparing(p -> p.wanted));
  }

  @Test
  void failingTimerIsReportedAndFiresAgainASecondLater() {
    Probe broken = scheduled(START + 1);
    broken.action =
        () -> {
          throw new IllegalArgumentException("broken");
        };
    Probe sound = scheduled(START + 1);

    assertThat(wheel.advance(START + 1, PLENTY)).isEqualTo(2);
    assertThat(fired).containsExactly(broken, sound);
    assertThat(faults.take()).singleElement().asString().contains("broken");
    assertThat(wheel.nextDeadlineMillis(START + 1)).isEqualTo(START + 1001);
    wheel.schedule(broken, START + 5);
    wheel.advance(START + 5, PLENTY);
    assertThat(wheel.nextDeadlineMillis(START + 5)).isEqualTo(START + 1005);
  }

  @Test
  void budgetOfZeroAndNestedAdvanceAreRefused() {
    Probe probe = scheduled(START);
    probe.action = () -> wheel.advance(START, 1);

    assertThatThrownBy(() -> wheel.advance(START, 0)).isInstanceOf(IllegalArgumentException.class);
    wheel.advance(START, 1);
    assertThat(faults.take()).singleElement().asString().contains("advance called from a timer");
  }
}
