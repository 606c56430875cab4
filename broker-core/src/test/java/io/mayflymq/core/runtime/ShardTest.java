package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bursts, their members and the wake-ups for timers, on a loop and a clock moved by hand. */
class ShardTest {
  private static final int TIMERS_PER_BURST = 256;
  private static final long HOUR = 3_600_000;

  private final ManualLoops loops = ManualLoops.of(1);
  private final ManualClock clock = loops.clock();
  private final ManualLoop loop = loops.get(0);
  private final RecordedFaults faults = new RecordedFaults();
  private final Shard shard = new Shard(3, loop, clock, faults);
  private final long start = clock.millis();
  private final List<String> events = new ArrayList<>();

  @Test
  void shardHasItsNumberAndItsLoop() {
    assertThat(shard.index()).isEqualTo(3);
    assertThat(shard.loop()).isSameAs(loop);
    assertThat(shard.isCurrent()).isFalse();
    loop.call(() -> assertThat(shard.isCurrent()).isTrue());
  }

  @Test
  void executedTaskRunsLaterInItsOwnBurst() {
    shard.execute(() -> events.add("at " + (shard.now() - start)));
    clock.advance(7);
    assertThat(events).isEmpty();

    loops.settle();

    assertThat(events).containsExactly("at 7");
  }

  @Test
  void withAClockThatIsSetNoTimerIsWaitedFor() {
    SettableClock set = new SettableClock(start);
    Shard moved = new Shard(0, loop, set, faults);
    Timer timer =
        new Timer() {
          @Override
          protected void fire(long nowMillis) {
            events.add("fired at " + (nowMillis - start));
          }
        };
    moved.run(() -> moved.timers().schedule(timer, start + 5));
    assertThat(loop.scheduled()).isZero();
    assertThat(moved.isIdle()).isTrue();

    set.set(start + 5);
    moved.fireTimers();

    assertThat(events).containsExactly("fired at 5");
    assertThatThrownBy(() -> set.set(start)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aShardIsIdleWhenNothingWaitsForIt() {
    assertThat(shard.isIdle()).isTrue();
    shard.execute(() -> {});
    assertThat(shard.isIdle()).isFalse();
    loops.settle();
    assertThat(shard.isIdle()).isTrue();
    loop.call(() -> shard.executeLater(() -> {}));
    assertThat(shard.isIdle()).isFalse();
  }

  @Test
  void clockIsReadOncePerBurst() {
    shard.run(
        () -> {
          clock.advance(5);
          events.add("outer " + (shard.now() - start));
          shard.run(() -> events.add("inner " + (shard.now() - start)));
          shard.atEndOfBurst(() -> events.add("end " + (shard.now() - start)));
        });
    shard.run(() -> events.add("next " + (shard.now() - start)));

    assertThat(events).containsExactly("outer 0", "inner 0", "end 0", "next 5");
  }

  @Test
  void taskThatArrivesDuringABurstIsNotRunAtTheTimeOfItsBeginning() {
    shard.execute(
        () -> {
          events.add("first " + (shard.now() - start));
          clock.advance(10);
          loop.elsewhere(() -> shard.execute(() -> events.add("second " + (shard.now() - start))));
        });

    loops.settle();

    assertThat(events).containsExactly("first 0", "second 10");
  }

  @Test
  void endOfBurstListenersAreCalledOnceInOrder() {
    shard.run(
        () -> {
          shard.atEndOfBurst(() -> events.add("a"));
          shard.run(() -> shard.atEndOfBurst(() -> events.add("b")));
          events.add("task");
        });
    shard.run(() -> events.add("next"));

    assertThat(events).containsExactly("task", "a", "b", "next");
  }

  @Test
  void listenerAddedAtTheEndOfABurstIsCalledInTheSameBurst() {
    EndOfBurstListener again =
        new EndOfBurstListener() {
          private int left = 2;

          @Override
          public void endOfBurst() {
            events.add("again " + left);
            if (left-- > 0) {
              shard.atEndOfBurst(this);
            }
          }
        };
    shard.run(
        () -> {
          shard.atEndOfBurst(again);
          shard.atEndOfBurst(() -> shard.run(() -> events.add("run by a member")));
        });

    assertThat(events).containsExactly("again 2", "run by a member", "again 1", "again 0");
  }

  @Test
  void burstWithAFailingTaskStillCallsItsListeners() {
    assertThatThrownBy(
            () ->
                shard.run(
                    () -> {
                      shard.atEndOfBurst(() -> events.add("end"));
                      throw new IllegalStateException("task");
                    }))
        .hasMessage("task");
    clock.advance(1);
    shard.run(() -> events.add("at " + (shard.now() - start)));

    assertThat(events).containsExactly("end", "at 1");
  }

  @Test
  void failingEndOfBurstListenerAffectsNeitherOthersNorTheTask() {
    shard.run(
        () -> {
          shard.atEndOfBurst(() -> fail("first"));
          shard.atEndOfBurst(() -> events.add("second"));
          shard.atEndOfBurst(() -> fail("third"));
          shard.atEndOfBurst(() -> events.add("fourth"));
        });

    assertThat(events).containsExactly("second", "fourth");
    assertThat(faults.take()).hasSize(2);
  }

  @Test
  void failingTaskIsReportedWhicheverThreadExecutedIt() {
    shard.execute(() -> fail("of another thread"));
    loops.settle();
    loop.call(() -> shard.execute(() -> fail("of its own")));
    loop.call(
        () ->
            shard.executeLater(
                () -> {
                  throw new AssertionError("later");
                }));
    loops.settle();
    assertThat(faults.take())
        .containsExactly(
            "a task of shard 3: java.lang.IllegalStateException: of another thread",
            "a task of shard 3: java.lang.IllegalStateException: of its own",
            "a task of shard 3: java.lang.AssertionError: later");
    shard.execute(() -> events.add("goes on"));
    loops.settle();
    assertThat(events).containsExactly("goes on");
  }

  @Test
  void errorOfACallIsReturnedToTheCaller() {
    var answer =
        shard.call(
            () -> {
              throw new AssertionError("never");
            });
    loops.settle();
    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void failingTimerFiresAgain() {
    int[] fired = {0};
    schedule(
        20,
        () -> {
          fired[0]++;
          fail("timer");
        });
    loops.advance(20);
    assertThat(fired[0]).isEqualTo(1);
    loops.advance(1000);
    assertThat(fired[0]).isEqualTo(2);
    assertThat(faults.take()).hasSize(2);
  }

  private static void fail(String message) {
    throw new IllegalStateException(message);
  }

  @Test
  void timerFiresInABurstAtItsDeadline() {
    schedule(20, () -> shard.atEndOfBurst(() -> events.add("end " + (shard.now() - start))));

    loops.advance(19);
    assertThat(events).isEmpty();
    loops.advance(1);

    assertThat(events).containsExactly("end 20");
    assertThat(loop.scheduled()).isZero();
  }

  @Test
  void wakeUpIsRequestedForTheEarliestTimerOnly() {
    schedule(500, () -> events.add("500"));
    schedule(600, () -> events.add("600"));
    schedule(500, () -> events.add("500 too"));
    assertThat(loop.scheduled()).isEqualTo(1);
    assertThat(loop.nextScheduledMillis()).isEqualTo(500);

    schedule(400, () -> events.add("400"));
    assertThat(loop.scheduled()).isEqualTo(2);
    assertThat(loop.nextScheduledMillis()).isEqualTo(400);

    loops.advance(1_000);
    assertThat(events).containsExactly("400", "500", "500 too", "600");
    assertThat(loop.scheduled()).isZero();
  }

  @Test
  void postponedTimerRequestsNoFurtherWakeUp() {
    Timer timer = schedule(100, () -> events.add("fired"));
    for (int later = 200; later <= 1_000; later += 100) {
      int deadline = later;
      shard.run(() -> shard.timers().schedule(timer, start + deadline));
    }
    assertThat(loop.scheduled()).isEqualTo(1);

    loops.advance(999);
    assertThat(events).isEmpty();
    loops.advance(1);
    assertThat(events).containsExactly("fired");
  }

  @Test
  void cancelledTimerRequestsNoFurtherWakeUp() {
    Timer timer = schedule(100, () -> events.add("fired"));
    shard.run(() -> shard.timers().cancel(timer));

    loops.advance(1_000);

    assertThat(events).isEmpty();
    assertThat(loop.scheduled()).isZero();
  }

  /** A lease of an hour, and messages that live for milliseconds: nothing may grow meanwhile. */
  @Test
  void wakeUpsForADistantTimerDoNotAccumulate() {
    schedule(HOUR, () -> events.add("lease"));
    int rounds = 1_000;
    for (int i = 0; i < rounds; i++) {
      schedule(clock.millis() - start + 10, () -> {});
      loops.advance(20);
    }
    assertThat(loop.scheduled()).isLessThan(100);

    loops.advance(HOUR - 20L * rounds - 1);
    assertThat(events).isEmpty();
    loops.advance(1);
    assertThat(events).containsExactly("lease");
    loops.advance(HOUR);
    assertThat(loop.scheduled()).isZero();
  }

  @Test
  void manyDueTimersAllowOtherTasksBetweenBursts() {
    int count = 3 * TIMERS_PER_BURST + 1;
    int[] fired = {0};
    for (int i = 0; i < count; i++) {
      schedule(10, () -> fired[0]++);
    }
    clock.advance(10);
    List<Integer> seen = new ArrayList<>();
    while (loop.step()) {
      seen.add(fired[0]);
      if (seen.size() == 1) {
        loop.execute(() -> events.add("between, after " + fired[0]));
      }
    }

    assertThat(fired[0]).isEqualTo(count);
    assertThat(seen)
        .containsSubsequence(TIMERS_PER_BURST, 2 * TIMERS_PER_BURST, 3 * TIMERS_PER_BURST, count);
    assertThat(events).singleElement().asString().startsWith("between, after ");
    assertThat(events).doesNotContain("between, after " + count);
  }

  @Test
  void timerWithAPastDeadlineFiresAtTheNextTurn() {
    schedule(-5, () -> events.add("fired"));
    assertThat(events).isEmpty();
    assertThat(loop.waiting()).isEqualTo(1);

    loops.settle();

    assertThat(events).containsExactly("fired");
  }

  @Test
  void failingTimerDoesNotPreventOthers() {
    schedule(10, () -> fail("timer"));
    schedule(10, () -> events.add("second"));
    clock.advance(10);

    loops.settle();

    assertThat(faults.take()).hasSize(1);
    assertThat(events).containsExactly("second");
  }

  @Test
  void clockSetBackDelaysTimersUntilTheirDeadline() {
    schedule(100, () -> events.add("at " + (shard.now() - start)));
    clock.jump(-50);

    loops.advance(149);
    assertThat(events).isEmpty();
    loops.advance(1);

    assertThat(events).containsExactly("at 100");
  }

  /** As after a suspended machine has resumed, without any other activity. */
  @Test
  void clockSetForwardMakesTimersAtMostASecondLate() {
    schedule(HOUR, () -> events.add("at " + (shard.now() - start)));
    loops.advance(10);
    clock.jump(2 * HOUR);

    loops.advance(1_000);

    assertThat(events).containsExactly("at " + (2 * HOUR + 1_000));
  }

  /** Clocks that differ by 500 ppm, which is what NTP allows itself, are 1.8 s apart by then. */
  @Test
  void driftingClockMakesTimersLateByAtMostItsDriftPerSecond() {
    long[] late = {-1};
    schedule(HOUR, () -> late[0] = shard.now() - start - HOUR);
    while (late[0] < 0) {
      loops.advance(2_000);
      clock.jump(1);
    }

    assertThat(late[0]).isLessThanOrEqualTo(1);
  }

  private Timer schedule(long inMillis, Runnable action) {
    Timer timer =
        new Timer() {
          @Override
          protected void fire(long nowMillis) {
            action.run();
          }
        };
    shard.run(() -> shard.timers().schedule(timer, start + inMillis));
    return timer;
  }

  @Test
  void tasksOfOtherThreadsRunBeforeATaskOfTheLoopItself() {
    shard.execute(() -> events.add("handed over"));
    shard.execute(
        () -> {
          throw new IllegalStateException("not the reader's concern");
        });

    loop.call(() -> shard.run(() -> events.add("read")));

    assertThat(events).containsExactly("handed over", "read");
    assertThat(faults.take()).hasSize(1);
    loops.settle();
    assertThat(events).hasSize(2);
  }

  @Test
  void burstsAndWaitingTasksAreMeasured() {
    shard.run(() -> shard.run(() -> {}));
    assertThat(shard.histograms().bursts().read().count()).isEqualTo(1);
    shard.execute(() -> {});
    assertThat(shard.backlog()).isEqualTo(1);
    loops.settle();
    assertThat(shard.backlog()).isZero();
    assertThat(shard.histograms().bursts().read().count()).isEqualTo(2);
  }

  @Test
  void othersHaveTheirTurnBetweenTheSlicesOfManyOperations() {
    loop.call(
        () -> {
          for (String operation : List.of("a", "b", "c")) {
            shard.executeLater(
                () -> {
                  events.add(operation);
                  shard.executeLater(() -> events.add(operation + " again"));
                });
          }
        });
    for (int i = 0; i < 3; i++) {
      loop.execute(() -> events.add("other"));
      loop.step();
      loop.step();
    }
    assertThat(events).containsExactly("a", "other", "b", "other", "c", "other");
    loops.settle();
    assertThat(events).hasSize(9).endsWith("a again", "b again", "c again");
  }
}
