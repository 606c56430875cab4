package io.mayflymq.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import java.util.NavigableSet;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SequenceRangesTest {
  private static SequenceRanges of(SortedSet<Long> numbers) {
    SequenceRanges ranges = new SequenceRanges();
    numbers.forEach(number -> ranges.append(number, number + 1));
    return ranges;
  }

  private static NavigableSet<Long> some(Random random) {
    NavigableSet<Long> numbers = new TreeSet<>();
    int most = 1 + random.nextInt(60);
    for (int i = 0; i < most; i++) {
      numbers.add((long) random.nextInt(80));
    }
    return numbers;
  }

  @Test
  void behavesLikeASet() {
    Random random = new Random(17);
    for (int i = 0; i < 2_000; i++) {
      NavigableSet<Long> one = some(random);
      NavigableSet<Long> other = some(random);
      SequenceRanges ranges = of(one);
      assertThat(ranges.count()).isEqualTo(one.size());
      assertThat(ranges.last()).isEqualTo(one.last());
      long number = random.nextInt(80);
      long end = number + random.nextInt(20);
      assertThat(ranges.contains(number)).isEqualTo(one.contains(number));
      assertThat(ranges.countBetween(number, end))
          .isEqualTo(one.subSet(number, true, end, true).size());
      assertThat(ranges.below(number)).isEqualTo(of(one.headSet(number)));
      SortedSet<Long> both = new TreeSet<>(one);
      both.retainAll(other);
      assertThat(ranges.and(of(other))).isEqualTo(of(both));
      ByteWriter out = new ByteWriter();
      ranges.write(out);
      assertThat(SequenceRanges.read(new ByteReader(out.bytes(), out.size()))).isEqualTo(ranges);
    }
  }

  @Test
  void numbersInOrderAreOneRange() {
    SequenceRanges ranges = new SequenceRanges();
    ranges.append(5, 10);
    ranges.append(10, 1_000_000);
    assertThat(ranges).hasToString("5..999999");
    assertThat(ranges.count()).isEqualTo(999_995);
    assertThat(new SequenceRanges().last()).isEqualTo(-1);
  }

  @Test
  void refusesWhatIsNotInOrder() {
    SequenceRanges ranges = new SequenceRanges();
    ranges.append(5, 10);
    assertThatThrownBy(() -> ranges.append(9, 12)).isInstanceOf(IllegalArgumentException.class);
    ByteWriter out = new ByteWriter().number(1).number(3).number(0);
    assertThatThrownBy(() -> SequenceRanges.read(new ByteReader(out.bytes(), out.size())))
        .isInstanceOf(ByteFormatException.class);
  }
}
