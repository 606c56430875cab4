package io.mayflymq.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SampleHistoryTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int INTERVAL = 5;
  private static final int USUAL = SampleHistory.USUAL_BYTES;

  private final SampleHistory history = new SampleHistory(0, 3);
  private final List<long[]> samples = new ArrayList<>(List.of(new long[3]));

  /** Takes samples at seconds 5, 10 and so on, in which each number has grown by up to this. */
  private void take(int count, int most, int bytes) {
    Random random = new Random(4);
    for (int i = 0; i < count; i++) {
      long[] before = samples.get(samples.size() - 1);
      long[] now = Arrays.stream(before).map(number -> number + random.nextInt(most)).toArray();
      samples.add(now);
      history.add(nanos(samples.size() - 1), now, bytes);
    }
  }

  private static long nanos(int sample) {
    return SECOND * INTERVAL * sample;
  }

  private long[] at(int sample) {
    return history.at(new long[] {nanos(sample)})[0];
  }

  private int last() {
    return samples.size() - 1;
  }

  @Test
  void everySampleOfTheLastTenMinutesIsExact() {
    take(5_000, 1_000, USUAL);
    for (int back = 0; back <= 120; back++) {
      assertThat(at(last() - back))
          .as("%d samples ago", back)
          .isEqualTo(samples.get(last() - back));
    }
  }

  @Test
  void olderSamplesAreAsExactAsTheirStep() {
    take(17_280, 1_000, USUAL);
    assertWithin(60 / INTERVAL, 121, 720);
    assertWithin(600 / INTERVAL, 721, 5_760);
    assertWithin(1_800 / INTERVAL, 5_761, 17_000);
    assertThat(history.capacityBytes()).isLessThanOrEqualTo(USUAL);
  }

  /** Each number must lie between the samples that are a step before and after. */
  private void assertWithin(int step, int from, int to) {
    for (int back = from; back <= to; back += 7) {
      int sample = last() - back;
      long[] seen = at(sample);
      long[] least = samples.get(Math.max(0, sample - step));
      long[] most = samples.get(Math.min(last(), sample + step));
      for (int i = 0; i < seen.length; i++) {
        assertThat(seen[i]).as("%d samples ago", back).isBetween(least[i], most[i]);
      }
    }
  }

  @Test
  void whatMayTakeFewBytesBecomesCoarserAndStaysRight() {
    take(17_280, 1_000_000, 512);
    assertThat(history.capacityBytes()).isLessThanOrEqualTo(512);
    for (int back = 0; back < 5; back++) {
      assertThat(at(last() - back))
          .as("%d samples ago", back)
          .isEqualTo(samples.get(last() - back));
    }
    long[] previous = at(0);
    for (int sample = 1; sample <= last(); sample += 10) {
      long[] now = at(sample);
      assertThat(now[0]).as("numbers only grow").isGreaterThanOrEqualTo(previous[0]);
      previous = now;
    }
  }

  @Test
  void aNumberMayShrink() {
    SampleHistory two = new SampleHistory(0, 2);
    two.add(5 * SECOND, new long[] {7, Long.MAX_VALUE}, USUAL);
    two.add(10 * SECOND, new long[] {3, 0}, USUAL);
    assertThat(two.at(new long[] {0, 5 * SECOND, 9 * SECOND, 10 * SECOND}))
        .isDeepEqualTo(new long[][] {{0, 0}, {7, Long.MAX_VALUE}, {7, Long.MAX_VALUE}, {3, 0}});
  }

  @Test
  void whatIsOlderThanADayIsForgotten() {
    take(10, 1_000, USUAL);
    long[] before = samples.get(last());
    for (int i = 0; i < 300; i++) {
      long[] now = {before[0] + 1, before[1], before[2]};
      history.add(nanos(last()) + SECOND * 3_600 * (i + 1), now, 256);
      before = now;
    }
    assertThat(history.at(new long[] {0})[0][0]).isGreaterThan(0);
  }

  @Test
  void forgottenSamplesAreTakenForTheLastOne() {
    SampleHistory one = new SampleHistory(0, 1);
    one.add(5 * SECOND, new long[] {2}, USUAL);
    one.add(10 * SECOND, new long[] {3}, USUAL);
    one.forget();
    long[] moments = {0, 7 * SECOND, 15 * SECOND};
    assertThat(one.at(moments)).isDeepEqualTo(new long[][] {{3}, {3}, {3}});
    one.add(15 * SECOND, new long[] {4}, USUAL);
    assertThat(one.at(moments)).isDeepEqualTo(new long[][] {{3}, {3}, {4}});
  }

  @Test
  void whoReadsDuringASampleSeesThePastAsItWas() throws Exception {
    RateWindow window = new RateWindow();
    window.sample(SECOND, SECOND, new long[] {1}, USUAL);
    long[] moments = {0, SECOND};
    Thread sampler =
        new Thread(
            () -> {
              for (int second = 2; second <= 600; second++) {
                window.sample(second * SECOND, SECOND, new long[] {second}, USUAL);
              }
            });
    sampler.start();
    while (sampler.isAlive()) {
      assertThat(window.at(moments, 1)).isDeepEqualTo(new long[][] {{0}, {1}});
    }
    sampler.join();
    assertThat(window.at(new long[] {0, SECOND, 600 * SECOND}, 1))
        .isDeepEqualTo(new long[][] {{0}, {1}, {600}});
  }

  @Test
  void hundredThousandHistoriesFitInto128MiB() {
    int members = 100_000;
    int bytes = CounterGroup.historyBytes(members);
    take(500, 1_000, bytes);
    long samples = 2L * Counter.COUNT * Long.BYTES;
    assertThat((history.capacityBytes() + samples) * members).isLessThanOrEqualTo(128L << 20);
  }
}
