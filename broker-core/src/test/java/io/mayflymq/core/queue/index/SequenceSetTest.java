package io.mayflymq.core.queue.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The set against one of the JDK. */
class SequenceSetTest {
  enum Change {
    APPEND,
    APPEND_FAR,
    ADD_ANYWHERE,
    ADD_BEFORE,
    REMOVE_FIRST,
    REMOVE_ANY,
    REMOVE_MOST
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void setHasWhatWasAddedAndNotRemovedInOrder(
      @ForAll @Size(max = 60) List<Change> changes, @ForAll long seed) {
    Random random = new Random(seed);
    SequenceSet set = new SequenceSet();
    NavigableSet<Long> expected = new TreeSet<>();
    for (Change change : changes) {
      int times = random.nextInt(100);
      for (int i = 0; i < times; i++) {
        change(change, set, expected, random);
      }
      assertThat(set.size()).isEqualTo(expected.size());
      assertThat(set.isEmpty()).isEqualTo(expected.isEmpty());
      long next = set.first();
      for (long number : expected) {
        assertThat(next).isEqualTo(number);
        next = set.next(number);
      }
      assertThat(next).isEqualTo(-1);
      long any = random.nextLong(2000) - 1;
      Long higher = expected.higher(any);
      assertThat(set.next(any)).isEqualTo(higher == null ? -1 : higher);
    }
  }

  private static void change(
      Change change, SequenceSet set, NavigableSet<Long> expected, Random random) {
    long last = expected.isEmpty() ? random.nextInt(5) : expected.last();
    switch (change) {
      case APPEND -> add(last + 1 + random.nextInt(3), set, expected);
      case APPEND_FAR -> add(last + random.nextLong(1L << (1 + random.nextInt(40))), set, expected);
      case ADD_ANYWHERE -> add(random.nextLong(last + 1), set, expected);
      case ADD_BEFORE -> {
        if (!expected.isEmpty() && expected.first() > 0) {
          add(expected.first() - 1, set, expected);
        }
      }
      case REMOVE_FIRST -> {
        if (!expected.isEmpty()) {
          remove(expected.first(), set, expected);
        }
      }
      case REMOVE_ANY -> remove(random.nextLong(last + 1), set, expected);
      case REMOVE_MOST -> {
        Long any = expected.ceiling(random.nextLong(last + 1));
        if (any != null) {
          remove(any, set, expected);
        }
      }
    }
  }

  private static void add(long number, SequenceSet set, NavigableSet<Long> expected) {
    assertThat(set.add(number)).isEqualTo(expected.add(number));
  }

  private static void remove(long number, SequenceSet set, NavigableSet<Long> expected) {
    assertThat(set.remove(number)).isEqualTo(expected.remove(number));
  }

  @Test
  void numbersThatFlowThroughTakeNoMoreMemory() {
    SequenceSet set = new SequenceSet();
    for (long number = 0; number < 3_000_000; number++) {
      set.add(number * 300);
      if (number >= 1000) {
        assertThat(set.remove((number - 1000) * 300)).isTrue();
      }
    }
    assertThat(set.size()).isEqualTo(1000);
    assertThat(set.first()).isEqualTo(2_999_000 * 300L);
  }
}
