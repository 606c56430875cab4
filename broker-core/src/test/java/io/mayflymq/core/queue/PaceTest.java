package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.policy.PaceSettings.Rate;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long START = 1_800_000_000_000L;

  private static Pace pace(long rate, long burst) {
    return Pace.of(new Rate(rate, burst), null, START);
  }

  private static int atOnce(Pace pace, long now) {
    int count = 0;
    while (pace.allows(now)) {
      pace.passed();
      count++;
    }
    return count;
  }

  @Test
  void allOfASecondMayLeaveAtOnce() {
    Pace pace = pace(5, 5);
    assertThat(atOnce(pace, START)).isEqualTo(5);
    assertThat(pace.next()).isEqualTo(START + 1000);
    assertThat(atOnce(pace, START + 999)).isZero();
    assertThat(atOnce(pace, START + 1000)).isEqualTo(5);
  }

  @Test
  void aBurstSpreadsThem() {
    Pace pace = pace(100, 2);
    assertThat(atOnce(pace, START)).isEqualTo(2);
    assertThat(pace.next()).isEqualTo(START + 10);
    assertThat(atOnce(pace, START + 9)).isZero();
    assertThat(atOnce(pace, START + 10)).isEqualTo(1);
    assertThat(atOnce(pace, START + 500)).isEqualTo(2);
  }

  @Test
  void aClockThatWasSetBackDoesNotStopIt() {
    Pace pace = pace(2, 2);
    assertThat(atOnce(pace, START)).isEqualTo(2);
    assertThat(atOnce(pace, START - 60_000)).isEqualTo(2);
    assertThat(pace.next()).isEqualTo(START - 59_000);
  }

  /** As many as may leave, whenever they may, or after pauses of any length. */
  @Property(tries = 300)
  void noSecondHasMoreThanTheRate(
      @ForAll @IntRange(min = 1, max = 2000) int rate,
      @ForAll @IntRange(min = 1, max = 3000) int burst,
      @ForAll List<@IntRange(min = 0, max = 1500) Integer> pauses) {
    Pace pace = pace(rate, Math.min(rate, burst));
    List<Long> times = new ArrayList<>();
    long now = START;
    for (int pause : pauses) {
      for (int i = 0; i < 50; i++) {
        while (pace.allows(now)) {
          pace.passed();
          times.add(now);
        }
        long next = pace.next();
        assertThat(next).isGreaterThan(now);
        assertThat(pace.allows(next - 1)).as("a ms earlier").isFalse();
        now = next;
        assertThat(pace.allows(now)).isTrue();
      }
      now += pause;
    }
    for (int i = rate; i < times.size(); i++) {
      assertThat(times.get(i) - times.get(i - rate)).isGreaterThanOrEqualTo(1000);
    }
  }

  @Test
  void severalPassAtOnceIfThereIsRoom() {
    Pace pace = pace(100, 10);
    assertThat(pace.room(START)).isEqualTo(10);
    pace.passed(7);
    assertThat(pace.room(START)).isEqualTo(3);
    assertThat(pace.next(3)).isEqualTo(START);
    assertThat(pace.next(4)).isEqualTo(START + 10);
    assertThat(pace.next(10)).isEqualTo(START + 70);
    assertThat(pace.next(11)).as("more than the burst").isEqualTo(Long.MAX_VALUE);
    assertThat(pace.room(START + 70)).isEqualTo(10);
  }

  @Test
  void theWindowDecidesWhenSeveralMayPass() {
    Pace pace = pace(5, 5);
    pace.room(START);
    pace.passed(2);
    pace.room(START + 600);
    pace.passed(3);
    assertThat(pace.next(1)).isEqualTo(START + 1000);
    assertThat(pace.next(3)).isEqualTo(START + 1600);
    assertThat(pace.room(START + 999)).isZero();
    assertThat(pace.room(START + 1000)).isEqualTo(2);
    assertThat(pace.room(START + 1600)).isEqualTo(5);
  }

  @Test
  void whatIsGivenBackMayPass() {
    Pace pace = pace(10, 10);
    pace.room(START);
    pace.passed(10);
    pace.room(START + 300);
    pace.giveBack(4, START);
    assertThat(pace.room(START + 300)).isEqualTo(4);
    pace.passed(4);
    assertThat(pace.room(START + 1000)).as("six have left the second").isEqualTo(6);
    pace.passed(6);
    pace.room(START + 3000);
    pace.giveBack(6, START + 1000);
    assertThat(pace.room(START + 3000)).as("no more than the burst").isEqualTo(10);
  }

  /** What passes and is not given back keeps to the rate. */
  @Property(tries = 300)
  void noSecondHasMoreThanTheRateIfPartsAreGivenBack(
      @ForAll @IntRange(min = 1, max = 500) int rate,
      @ForAll @IntRange(min = 1, max = 500) int burst,
      @ForAll List<@IntRange(min = 0, max = 400) Integer> pauses) {
    Pace pace = pace(rate, Math.min(rate, burst));
    List<Long> times = new ArrayList<>();
    long now = START;
    for (int pause : pauses) {
      long room = pace.room(now);
      long taken = room - room / 3;
      pace.passed(taken);
      long at = now;
      now += pause;
      long left = taken * (pause % 4) / 4;
      pace.room(now);
      pace.giveBack(left, at);
      for (long i = left; i < taken; i++) {
        times.add(at);
      }
    }
    for (int i = rate; i < times.size(); i++) {
      assertThat(times.get(i) - times.get(i - rate)).isGreaterThanOrEqualTo(1000);
    }
  }

  @Test
  void thoseThatComeTooEarlyPassOneAfterTheOther() {
    Pace pace = pace(100, 1);
    assertThat(pace.passAt(START)).isEqualTo(START);
    assertThat(pace.passAt(START)).isEqualTo(START + 10);
    assertThat(pace.passAt(START + 5)).isEqualTo(START + 20);
    assertThat(pace.passAt(START + 100)).isEqualTo(START + 100);
  }

  @Test
  void onlyAnotherRateBeginsAnew() {
    Pace pace = pace(1, 1);
    assertThat(atOnce(pace, START)).isEqualTo(1);
    assertThat(Pace.of(new Rate(1, 1), pace, START)).isSameAs(pace);
    assertThat(atOnce(Pace.of(new Rate(2, 1), pace, START), START)).isEqualTo(1);
    assertThat(Pace.of(null, pace, START)).isNull();
  }
}
