package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers fire at times of the partition, or before. */
class PartitionTimeTest {
  private final ManualClock clock = new ManualClock();
  private final ManualLoop loop = new ManualLoop(clock);
  private final Shard shard = new Shard(0, loop, clock, Faults.logged());
  private final PartitionTime time = new PartitionTime(shard);
  private final List<Long> fired = new ArrayList<>();

  private final Timer timer =
      new Timer() {
        @Override
        protected void fire(long nowMillis) {
          fired.add(time.now());
        }
      };

  private void pass(int millis) {
    for (int i = 0; i < millis; i += 100) {
      clock.advance(100);
      while (loop.step()) {
        // All that is due.
      }
    }
  }

  private void set(long ahead, long inMillis) {
    shard.run(
        () -> {
          time.setAhead(ahead);
          time.schedule(timer, time.now() + inMillis);
        });
  }

  @Test
  void timerFiresAtItsTimeWhateverTheDifferenceIs() {
    for (long ahead : new long[] {0, 5_000, -5_000}) {
      long start = clock.millis();
      set(ahead, 1_000);
      pass(2_000);
      assertThat(fired).containsExactly(start + ahead + 1_000);
      fired.clear();
    }
  }

  @Test
  void timerForALateTimeFiresBefore() {
    long start = clock.millis();
    set(10, 1_000_000);
    pass(61_000);
    assertThat(fired).containsExactly(start + 10 + 60_000);
  }

  @Test
  void clockAndTimeAreConverted() {
    time.setAhead(-7);
    assertThat(time.ofClock(100)).isEqualTo(93);
    assertThat(time.toClock(93)).isEqualTo(100);
    assertThat(time.toClock(Long.MAX_VALUE)).as("never").isEqualTo(Long.MAX_VALUE);
  }
}
