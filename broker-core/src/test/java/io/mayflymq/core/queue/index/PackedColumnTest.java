package io.mayflymq.core.queue.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class PackedColumnTest {
  @Property
  void packedColumnReturnsTheSameValues(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 1024) int size,
      @ForAll @IntRange(max = 23) int bits,
      @ForAll @LongRange(min = -1_000_000, max = 1_000_000) long slope,
      @ForAll @LongRange(min = 0, max = 1L << 50) long start) {
    Random random = new Random(seed);
    long[] values = new long[size];
    for (int i = 0; i < size; i++) {
      values[i] = start + slope * i + random.nextInt(1 << bits);
    }

    PackedColumn packed = PackedColumn.of(values);

    if (packed != null) {
      for (int i = 0; i < size; i++) {
        assertThat(packed.get(i)).isEqualTo(values[i]);
      }
    } else {
      assertThat(bits).as("only what is far apart is left alone").isGreaterThan(20);
    }
  }

  @Test
  void columnWithMissingOrDistantValuesIsNotPacked() {
    assertThat(PackedColumn.of(new long[] {1, LongColumn.NONE, 2})).isNull();
    assertThat(PackedColumn.of(new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0})).isNull();
  }

  @Test
  void columnReturnsTheSameValuesPackedOrUnpacked() {
    LongColumn column = new LongColumn();
    for (int i = 0; i < Page.ENTRIES; i++) {
      column.set(i, 5_000_000_000L + 141L * i + i % 3, Page.ENTRIES);
    }

    column.pack(new long[Page.ENTRIES]);
    assertThat(column.get(1000)).isEqualTo(5_000_000_000L + 141_000 + 1);

    column.set(7, 1, Page.ENTRIES);
    assertThat(column.get(7)).isEqualTo(1);
    assertThat(column.get(8)).isEqualTo(5_000_000_000L + 141 * 8 + 2);
    column.pack(new long[Page.ENTRIES]);
    assertThat(column.get(7)).as("one that is far away").isEqualTo(1);
  }
}
