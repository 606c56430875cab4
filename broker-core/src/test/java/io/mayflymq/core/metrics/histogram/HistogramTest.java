package io.mayflymq.core.metrics.histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class HistogramTest {
  private static final long[] BOUNDS = {0, 1, 3, 10, 11, 1_000, 1L << 40, Long.MAX_VALUE - 1};

  @Test
  void boundsBelongToTheirBuckets() {
    Histogram histogram = new Histogram(Buckets.millis(0, 10, 1_000));
    histogram.record(0);
    histogram.record(1);
    histogram.record(10);
    histogram.record(11);
    histogram.record(1_001);
    Histogram.Reading reading = histogram.read();
    assertThat(reading.bounds()).containsExactly(0.0, 0.01, 1.0, Double.POSITIVE_INFINITY);
    assertThat(reading.counts()).containsExactly(1L, 2L, 1L, 1L);
    assertThat(reading.count()).isEqualTo(5);
    assertThat(reading.sum()).isEqualTo(1.023);
  }

  /** A clock that is set back must not make a counter shrink. */
  @Test
  void negativeValuesCountAsZero() {
    Histogram histogram = new Histogram(Buckets.nanos(10));
    histogram.record(-5);
    assertThat(histogram.read().counts()).containsExactly(1L, 0L);
    assertThat(histogram.read().sum()).isZero();
  }

  @Property
  void everyValueIsInTheFirstBucketThatIsLargeEnough(
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE) long value) {
    int expected = 0;
    while (expected < BOUNDS.length && BOUNDS[expected] < value) {
      expected++;
    }
    assertThat(Buckets.bytes(BOUNDS).of(value)).isEqualTo(expected);
  }

  @Test
  void valuesAtPowersOfTwoAreInTheFirstBucketThatIsLargeEnough() {
    Buckets buckets = Buckets.bytes(1, 2, 4, 8);
    assertThat(List.of(0, 1, 2, 3, 4, 5, 7, 8, 9).stream().map(buckets::of))
        .containsExactly(0, 0, 1, 2, 2, 3, 3, 3, 4);
  }

  @Test
  void histogramsOfSeveralThreadsAreAddedUp() {
    Buckets buckets = Buckets.bytes(10);
    Histogram one = new Histogram(buckets);
    Histogram two = new Histogram(buckets);
    one.record(5);
    two.record(6);
    two.record(20);
    assertThat(Histogram.sum(List.of(one, two)).counts()).containsExactly(2L, 1L);
    assertThat(Histogram.Reading.sum(List.of(one.read(), two.read())))
        .isEqualTo(Histogram.sum(List.of(one, two)));
  }

  @Test
  void boundsMustAscend() {
    assertThatThrownBy(() -> Buckets.bytes(1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[1, 1]");
  }
}
