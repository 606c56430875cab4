package io.mayflymq.core.queue.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

/** The runs against a deque of pairs. */
class RangeDequeTest {
  enum Kind {
    ADD,
    EXTEND_LAST,
    ADVANCE_FIRST,
    REMOVE_FIRST,
    CLEAR
  }

  record Action(Kind kind, int distance) {}

  @Test
  void newDequeIsEmpty() {
    RangeDeque runs = new RangeDeque();

    assertThat(runs.isEmpty()).isTrue();
    assertThat(runs.contains(0)).isFalse();
  }

  @Test
  void runsAreRemovedInOrder() {
    RangeDeque runs = new RangeDeque();
    for (long i = 0; i < 10_000; i++) {
      runs.add(10 * i);
      runs.extendLast(10 * i + 5);
    }

    for (long i = 0; i < 10_000; i++) {
      assertThat(runs.firstFrom()).isEqualTo(10 * i);
      assertThat(runs.firstTo()).isEqualTo(10 * i + 5);
      assertThat(runs.contains(10 * i + 5)).isTrue();
      assertThat(runs.contains(10 * i + 6)).isFalse();
      runs.removeFirst();
    }
    assertThat(runs.isEmpty()).isTrue();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void runsBehaveLikeThoseOfADeque(@ForAll("actions") List<Action> actions) {
    RangeDeque runs = new RangeDeque();
    ArrayDeque<long[]> model = new ArrayDeque<>();
    long next = 0;
    for (Action action : actions) {
      if (action.kind == Kind.ADD) {
        next += action.distance;
        runs.add(next);
        model.addLast(new long[] {next, next});
      } else if (action.kind == Kind.CLEAR) {
        runs.clear();
        model.clear();
      } else if (!model.isEmpty()) {
        switch (action.kind) {
          case EXTEND_LAST -> {
            next += action.distance;
            runs.extendLast(next);
            model.getLast()[1] = next;
          }
          case ADVANCE_FIRST -> {
            long[] first = model.getFirst();
            first[0] = Math.min(first[1], first[0] + action.distance);
            runs.advanceFirst(first[0]);
          }
          default -> {
            runs.removeFirst();
            model.removeFirst();
          }
        }
      }
      check(runs, model, next);
    }
  }

  private static void check(RangeDeque runs, ArrayDeque<long[]> model, long end) {
    assertThat(runs.isEmpty()).isEqualTo(model.isEmpty());
    if (!model.isEmpty()) {
      assertThat(runs.firstFrom()).isEqualTo(model.getFirst()[0]);
      assertThat(runs.firstTo()).isEqualTo(model.getFirst()[1]);
      assertThat(runs.lastTo()).isEqualTo(model.getLast()[1]);
    }
    for (long sequence = 0; sequence <= end + 1; sequence++) {
      long wanted = sequence;
      assertThat(runs.contains(sequence))
          .isEqualTo(model.stream().anyMatch(run -> run[0] <= wanted && wanted <= run[1]));
    }
  }

  @Provide
  Arbitrary<List<Action>> actions() {
    return Combinators.combine(
            Arbitraries.frequency(
                Tuple.of(20, Kind.ADD),
                Tuple.of(10, Kind.EXTEND_LAST),
                Tuple.of(5, Kind.ADVANCE_FIRST),
                Tuple.of(15, Kind.REMOVE_FIRST),
                Tuple.of(1, Kind.CLEAR)),
            Arbitraries.integers().between(1, 3))
        .as(Action::new)
        .list()
        .ofMaxSize(100);
  }
}
