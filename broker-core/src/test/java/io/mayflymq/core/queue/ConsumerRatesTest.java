package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConsumerRatesTest {
  private static final long BEGIN = 1_000_000;
  private static final long WINDOW = ConsumerRates.WINDOW_MILLIS;

  private final ConsumerRates rates = new ConsumerRates();

  private void deliver(int count, long nowMillis) {
    for (int i = 0; i < count; i++) {
      rates.delivered(nowMillis);
    }
  }

  @Test
  void areThoseOfTheLastWindow() {
    deliver(10, BEGIN);
    deliver(10, BEGIN + WINDOW - 1);
    rates.acknowledged(5, BEGIN + WINDOW - 1);
    assertThat(rates.shown(BEGIN + WINDOW - 1)).isEqualTo(ConsumerRates.NONE);
    assertThat(rates.shown(BEGIN + WINDOW)).isEqualTo(new ConsumerRates.Shown(4, 1));
    deliver(1, BEGIN + WINDOW);
    assertThat(rates.shown(BEGIN + 2 * WINDOW - 1)).isEqualTo(new ConsumerRates.Shown(4, 1));
    assertThat(rates.shown(BEGIN + 2 * WINDOW)).isEqualTo(new ConsumerRates.Shown(0.2, 0));
    assertThat(rates.shown(BEGIN + 3 * WINDOW)).isEqualTo(ConsumerRates.NONE);
  }

  @Test
  void areZeroAfterAPause() {
    deliver(10, BEGIN);
    assertThat(rates.shown(BEGIN + 2 * WINDOW)).isEqualTo(ConsumerRates.NONE);
    deliver(5, BEGIN + 2 * WINDOW + 1);
    rates.acknowledged(10, BEGIN + 2 * WINDOW + 1);
    assertThat(rates.shown(BEGIN + 3 * WINDOW)).isEqualTo(new ConsumerRates.Shown(1, 2));
  }
}
