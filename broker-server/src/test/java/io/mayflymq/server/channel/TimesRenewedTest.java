package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How often locks were renewed, of deliveries that come and go. */
class TimesRenewedTest {
  private static final int MANY = 10_000;

  private final UnackedDeliveries unacked = new UnackedDeliveries(bytes -> {});
  private final DeliverySource source = new DeliverySource(null, null, true);
  private final TimesRenewed times = new TimesRenewed(unacked);

  @Test
  void eachDeliveryHasItsOwn() {
    long first = unacked.add(source, 1);
    long second = unacked.add(source, 2);
    times.add(first);
    times.add(first);
    times.add(second);
    assertThat(times.of(first)).isEqualTo(2);
    assertThat(times.of(second)).isEqualTo(1);
    assertThat(times.of(second + 1)).isZero();
  }

  @Test
  void settledDeliveriesAreForgottenAndOthersAreNot() {
    long kept = unacked.add(source, 0);
    times.add(kept);
    for (int i = 1; i <= MANY; i++) {
      long settled = unacked.add(source, i);
      times.add(settled);
      unacked.settle(settled, (from, first, last) -> {});
    }
    assertThat(times.size()).isLessThan(100);
    assertThat(times.of(kept)).isEqualTo(1);
  }
}
