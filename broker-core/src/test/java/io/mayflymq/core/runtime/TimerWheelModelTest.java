package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** The wheel against a map of deadlines. */
class TimerWheelModelTest {
  private static final int TIMERS = 40;
  private static final long NEVER = Long.MAX_VALUE;
  private static final long START = 1_800_000_000_000L;

  sealed interface Command {}

  record Schedule(int timer, long delay) implements Command {}

  record Cancel(int timer) implements Command {}

  /** The next time that the timer fires, it does this as well. */
  record OnFire(int timer, Command command) implements Command {}

  record Advance(long millis, int budget) implements Command {}

  /** Sleep until the wheel asks to be advanced. */
  record AdvanceToNext(int budget) implements Command {}

  private static final class Rig {
    final List<Probe> timers = new ArrayList<>();
    final Map<Integer, Long> deadlines = new HashMap<>();
    final TimerWheel wheel = new TimerWheel(START, Faults.logged());
    long now = START;
    int displaced;

    Rig() {
      for (int i = 0; i < TIMERS; i++) {
        timers.add(new Probe(this, i));
      }
    }

    void run(Command command) {
      if (command instanceof Schedule schedule) {
        long deadline = saturatedAdd(now, schedule.delay);
        if (deadlines.put(schedule.timer, deadline) != null) {
          displaced++;
        }
        wheel.schedule(timers.get(schedule.timer), deadline);
      } else if (command instanceof Cancel cancel) {
        if (deadlines.remove(cancel.timer) != null) {
          displaced++;
        }
        wheel.cancel(timers.get(cancel.timer));
      } else if (command instanceof OnFire onFire) {
        timers.get(onFire.timer).onFire.add(onFire.command);
      } else if (command instanceof Advance advance) {
        now = Math.min(Math.max(0, saturatedAdd(now, advance.millis)), NEVER - 1);
        advance(advance.budget);
      } else if (command instanceof AdvanceToNext advance && earliest() < NEVER) {
        now = wheel.nextDeadlineMillis(now);
        advance(advance.budget);
      }
    }

    void advance(int budget) {
      int before = fireCount();
      int fired = wheel.advance(now, budget);
      assertThat(fired).isBetween(0, budget).isEqualTo(fireCount() - before);
    }

    int fireCount() {
      return timers.stream().mapToInt(timer -> timer.fired).sum();
    }

    long earliest() {
      return deadlines.isEmpty() ? NEVER : Collections.min(deadlines.values());
    }

    void check() {
      assertThat(wheel.size()).isEqualTo(deadlines.size());
      assertThat(wheel.nextDeadlineMillis(now)).isBetween(now, Math.max(now, earliest()));
      assertThat(wheel.firstEffectMillis()).isEqualTo(earliest());
      for (Probe timer : timers) {
        assertThat(timer.isScheduled()).isEqualTo(deadlines.containsKey(timer.id));
        assertThat(timer.deadlineMillis()).isEqualTo(deadlines.getOrDefault(timer.id, NEVER));
      }
    }

    /** Comes back as often as the wheel asks; then nothing may be due. */
    void settle(int budget) {
      for (int calls = 0; wheel.nextDeadlineMillis(now) <= now; calls++) {
        assertThat(calls).as("calls until nothing is due").isLessThan(2_000);
        advance(budget);
      }
      assertThat(earliest()).isGreaterThan(now);
    }
  }

  private static final class Probe extends Timer {
    final Rig rig;
    final int id;
    final Deque<Command> onFire = new ArrayDeque<>();
    int fired;

    Probe(Rig rig, int id) {
      this.rig = rig;
      this.id = id;
    }

    @Override
    protected void fire(long nowMillis) {
      fired++;
      assertThat(nowMillis).isEqualTo(rig.now);
      assertThat(rig.deadlines.remove(id)).as("deadline").isNotNull().isLessThanOrEqualTo(rig.now);
      assertThat(isScheduled()).isFalse();
      if (!onFire.isEmpty()) {
        rig.run(onFire.remove());
      }
    }
  }

  @Property(tries = 1_000)
  void wheelBehavesLikeAMapOfDeadlines(
      @ForAll("commands") List<Command> commands, @ForAll("budgets") int budget) {
    Rig rig = new Rig();
    for (Command command : commands) {
      rig.run(command);
      rig.check();
    }
    rig.settle(budget);
    rig.check();
  }

  @Property(tries = 300)
  void everyTimerFiresAtItsDeadlineIfTheOwnerWakesAsRequested(
      @ForAll("schedules") List<Schedule> schedules) {
    Rig rig = new Rig();
    schedules.forEach(rig::run);
    int wakeUps = 0;
    while (rig.earliest() < NEVER) {
      long earliest = Math.max(rig.now, rig.earliest());
      rig.run(new AdvanceToNext(TIMERS));
      assertThat(rig.earliest()).as("nothing due is left").isGreaterThan(rig.now);
      assertThat(rig.now).isLessThanOrEqualTo(earliest);
      wakeUps++;
    }
    assertThat(wakeUps).isLessThanOrEqualTo(rig.fireCount() + rig.displaced);
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    Arbitrary<Command> immediate =
        Arbitraries.frequencyOf(
            Tuple.of(6, schedule().map(command -> (Command) command)), Tuple.of(2, cancel()));
    Arbitrary<Command> onFire =
        Combinators.combine(timerIds(), immediate)
            .as((timer, command) -> new OnFire(timer, command));
    Arbitrary<Command> advance = Combinators.combine(jumps(), budgets()).as(Advance::new);
    return Arbitraries.frequencyOf(
            Tuple.of(8, immediate),
            Tuple.of(3, onFire),
            Tuple.of(4, advance),
            Tuple.of(3, budgets().map(AdvanceToNext::new)))
        .list()
        .ofMaxSize(120);
  }

  @Provide
  Arbitrary<List<Schedule>> schedules() {
    return schedule().list().ofMaxSize(80);
  }

  @Provide
  Arbitrary<Integer> budgets() {
    return Arbitraries.of(1, 2, 7, 100);
  }

  private static Arbitrary<Schedule> schedule() {
    return Combinators.combine(timerIds(), delays()).as(Schedule::new);
  }

  private static Arbitrary<Command> cancel() {
    return timerIds().map(Cancel::new);
  }

  private static Arbitrary<Integer> timerIds() {
    return Arbitraries.integers().between(0, TIMERS - 1);
  }

  private static Arbitrary<Long> delays() {
    return Arbitraries.frequencyOf(
        Tuple.of(1, longs(-100, 0)),
        Tuple.of(4, longs(0, 200)),
        Tuple.of(3, longs(0, 20_000)),
        Tuple.of(2, longs(0, 100_000_000)),
        Tuple.of(1, longs(0, 315_360_000_000L)),
        Tuple.of(1, longs(Long.MAX_VALUE / 4, Long.MAX_VALUE)));
  }

  private static Arbitrary<Long> jumps() {
    return Arbitraries.frequencyOf(
        Tuple.of(4, longs(0, 100)),
        Tuple.of(3, longs(0, 10_000)),
        Tuple.of(1, longs(0, 100_000_000)),
        Tuple.of(1, longs(-100, 0)),
        Tuple.of(1, longs(-100_000_000, 0)),
        Tuple.of(1, longs(-315_360_000_000L, 315_360_000_000L)));
  }

  private static Arbitrary<Long> longs(long min, long max) {
    return Arbitraries.longs().between(min, max).withDistribution(RandomDistribution.uniform());
  }

  private static long saturatedAdd(long a, long b) {
    long sum = a + b;
    return b > 0 && sum < a ? NEVER : sum;
  }
}
