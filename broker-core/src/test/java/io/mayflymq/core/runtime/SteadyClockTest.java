package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final long HOUR = 3_600_000;

  private final ManualClock machine = new ManualClock();
  private final List<Long> steps = new ArrayList<>();
  private final SteadyClock clock =
      new SteadyClock(
          machine, () -> TimeUnit.MILLISECONDS.toNanos(machine.elapsedMillis()), steps::add);
  private final long began = machine.millis();

  private long sinceBegin() {
    return clock.millis() - began;
  }

  @Test
  void goesWithTheClockOfTheMachine() {
    machine.advance(10 * HOUR);
    assertThat(sinceBegin()).isEqualTo(10 * HOUR);
    assertThat(clock.unskipped() - began).isEqualTo(10 * HOUR);
    assertThat(steps).isEmpty();
  }

  @Test
  void doesNotGoBackWithIt() {
    machine.jump(-HOUR);
    assertThat(sinceBegin()).isZero();
    assertThat(clock.held()).isEqualTo(HOUR);
    machine.advance(1_999);
    assertThat(sinceBegin()).isEqualTo(1_999);
    assertThat(steps).containsExactly(-HOUR);
    assertThat(clock.skipped()).isZero();
  }

  @Test
  void approachesItByOneMillisecondInTwoSeconds() {
    machine.jump(-10_000);
    clock.millis();
    machine.advance(HOUR);
    assertThat(sinceBegin()).isEqualTo(HOUR - 1_800);
    assertThat(clock.held()).isEqualTo(8_200);
    machine.advance(9 * HOUR);
    assertThat(sinceBegin()).isEqualTo(10 * HOUR - 10_000);
    assertThat(clock.held()).isZero();
  }

  @Test
  void skipsWhatTheMachineSkips() {
    machine.advance(5);
    machine.jump(HOUR);
    assertThat(sinceBegin()).isEqualTo(HOUR + 5);
    assertThat(clock.skipped()).isEqualTo(HOUR);
    assertThat(clock.unskipped() - began).isEqualTo(5);
    assertThat(steps).containsExactly(HOUR);
  }

  @Test
  void stepThatIsTakenBackChangesNothing() {
    machine.jump(-HOUR);
    clock.millis();
    machine.jump(HOUR + 1_000);
    assertThat(sinceBegin()).isEqualTo(1_000);
    assertThat(clock.held()).isZero();
    assertThat(clock.skipped()).isEqualTo(1_000);
    assertThat(steps).containsExactly(-HOUR, HOUR + 1_000);
  }

  @Test
  void stepsAddUp() {
    for (int i = 0; i < 3; i++) {
      machine.jump(-2_000);
      clock.millis();
      machine.jump(0);
      machine.advance(100);
    }
    assertThat(sinceBegin()).isEqualTo(300);
    assertThat(clock.held()).isEqualTo(6_000);
  }

  @Test
  void driftIsFollowedAndIsNoStep() {
    for (int i = 0; i < 10_000; i++) {
      machine.advance(1_000);
      machine.jump(i < 5_000 ? 1 : -2);
      assertThat(clock.millis()).isEqualTo(machine.millis());
    }
    assertThat(steps).isEmpty();
    assertThat(clock.skipped()).isZero();
    assertThat(clock.held()).isZero();
  }

  @Test
  void threadThatStandsStillBetweenTwoReadingsSeesNoStep() {
    long[] nanos = {0};
    boolean[] stands = {false};
    List<Long> seen = new ArrayList<>();
    SteadyClock read =
        new SteadyClock(
            () -> {
              long now = TimeUnit.NANOSECONDS.toMillis(nanos[0]);
              if (stands[0]) {
                stands[0] = false;
                nanos[0] += TimeUnit.SECONDS.toNanos(5);
              }
              return java.time.Instant.ofEpochMilli(now);
            },
            () -> nanos[0],
            seen::add);
    stands[0] = true;
    read.millis();
    assertThat(seen).isEmpty();
    assertThat(read.held()).isZero();
    assertThat(read.millis()).isEqualTo(5_000);
  }
}
