package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TurnTest {
  private static final long MILLIS = TimeUnit.NANOSECONDS.toMillis(Turn.NANOS);

  private final ManualLoops loops = ManualLoops.of(1);
  private final ManualClock clock = loops.clock();
  private final Turn turn = new Turn(new Shard(0, loops.get(0), clock, new RecordedFaults()));

  @Test
  void endsWhenItsTimeIsOver() {
    turn.spendMuch();
    clock.advance(MILLIS - 1);
    turn.spendMuch();
    assertThat(turn.isOver()).isFalse();
    clock.advance(1);
    assertThat(turn.isOver()).as("nothing was done meanwhile").isFalse();
    turn.spendMuch();
    assertThat(turn.isOver()).isTrue();
    turn.begin();
    assertThat(turn.isOver()).isFalse();
    turn.spendMuch();
    assertThat(turn.isOver()).isFalse();
  }

  @Test
  void clockIsReadAfterManySmallSteps() {
    clock.advance(MILLIS);
    for (int i = 1; i < Turn.STEPS_PER_LOOK; i++) {
      turn.spend(1);
      assertThat(turn.isOver()).isFalse();
    }
    turn.spend(1);
    assertThat(turn.isOver()).isTrue();
  }

  @Test
  void endsAfterManyStepsHoweverLittleTimeTheyTook() {
    turn.spend(Turn.MOST_STEPS - 1);
    assertThat(turn.isOver()).isFalse();
    turn.spend(1);
    assertThat(turn.isOver()).as("the steps are counted when the clock is read").isFalse();
    turn.spend(Turn.STEPS_PER_LOOK);
    assertThat(turn.isOver()).isTrue();
    turn.begin();
    turn.spend(Turn.MOST_STEPS);
    assertThat(turn.isOver()).isTrue();
  }
}
