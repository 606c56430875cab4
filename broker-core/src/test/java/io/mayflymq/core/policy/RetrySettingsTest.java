package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeliveryCount;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** How long returned messages wait. */
class RetrySettingsTest {
  private static RetrySettings delay(
      long least, long most, Backoff backoff, int jitter, Long... delays) {
    return new RetrySettings(RetryType.ALL, least, most, backoff, jitter, List.of(delays));
  }

  /** So many deliveries that have all failed. */
  private static long all(int count) {
    return DeliveryCount.of(count, count);
  }

  /** RabbitMQ 4.3.6 was seen to wait the minimum after each {@code basic.nack}. */
  @Test
  void onlyLinearGrowthFollowsTheFailedDeliveriesAlone() {
    long threeOfWhichOneFailed = DeliveryCount.of(3, 1);
    assertThat(delay(100, -1, Backoff.LINEAR, 0).delayMillis(DeliveryCount.of(3, 0), 0))
        .isEqualTo(100);
    assertThat(delay(100, -1, Backoff.LINEAR, 0).delayMillis(threeOfWhichOneFailed, 0))
        .isEqualTo(100);
    assertThat(delay(100, -1, Backoff.EXPONENTIAL, 0).delayMillis(threeOfWhichOneFailed, 0))
        .isEqualTo(400);
    assertThat(delay(-1, -1, Backoff.LINEAR, 0, 7L, 3L, 9L).delayMillis(threeOfWhichOneFailed, 0))
        .isEqualTo(9);
  }

  private static long[] firstFive(RetrySettings delay) {
    return IntStream.rangeClosed(1, 5)
        .mapToLong(returns -> delay.delayMillis(all(returns), 0))
        .toArray();
  }

  @Test
  void linearDelayGrowsByTheMinimumUpToTheMaximum() {
    assertThat(firstFive(delay(100, 350, Backoff.LINEAR, 0)))
        .containsExactly(100, 200, 300, 350, 350);
    assertThat(firstFive(delay(100, -1, Backoff.LINEAR, 0)))
        .containsExactly(100, 200, 300, 400, 500);
  }

  @Test
  void exponentialDelayDoublesUpToTheMaximum() {
    assertThat(firstFive(delay(100, 1000, Backoff.EXPONENTIAL, 0)))
        .containsExactly(100, 200, 400, 800, 1000);
  }

  @Test
  void listedDelaysRepeatTheLastEntry() {
    assertThat(firstFive(delay(-1, -1, Backoff.LINEAR, 0, 7L, 3L, 9L)))
        .containsExactly(7, 3, 9, 9, 9);
  }

  @Property
  void delayNeverOverflowsNorExceedsTheMaximum(
      @ForAll @LongRange(min = 1) long least,
      @ForAll @LongRange(min = 1) long most,
      @ForAll @IntRange(min = 1) int returns,
      @ForAll Backoff backoff) {
    assertThat(delay(least, most, backoff, 0).delayMillis(all(returns), 0)).isBetween(1L, most);
    assertThat(delay(least, -1, backoff, 0).delayMillis(all(returns), 0))
        .isGreaterThanOrEqualTo(least);
  }

  @Test
  void jitterIsEvenWithinItsPercentageAndFixedPerMessage() {
    RetrySettings varying = delay(1000, -1, Backoff.LINEAR, 20);

    long[] delays =
        LongStream.range(0, 10_000).map(seed -> varying.delayMillis(all(1), seed)).toArray();

    assertThat(LongStream.of(delays)).allMatch(delay -> delay >= 800 && delay <= 1200);
    assertThat(LongStream.of(delays).average().orElseThrow()).isBetween(990.0, 1010.0);
    assertThat(LongStream.of(delays).filter(delay -> delay < 850).count()).isBetween(1000L, 1500L);
    assertThat(varying.delayMillis(all(1), 42)).isEqualTo(varying.delayMillis(all(1), 42));
  }

  @Test
  void retryTypeSelectsWhichReturnsAreDelayed() {
    assertThat(types(RetryType.ALL)).containsExactly(true, true);
    assertThat(types(RetryType.FAILED)).containsExactly(true, false);
    assertThat(types(RetryType.RETURNED)).containsExactly(false, true);
    assertThat(types(RetryType.DISABLED)).containsExactly(false, false);
  }

  /** Whether failed messages wait, and others. */
  private static List<Boolean> types(RetryType type) {
    RetrySettings delay = new RetrySettings(type, 1, -1, Backoff.LINEAR, 0, List.of());
    return List.of(delay.appliesTo(true), delay.appliesTo(false));
  }
}
