package io.mayflymq.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExchangeCountersTest {
  @Test
  void totalsIncludeDeletedExchanges() {
    ExchangeCounters exchanges = new ExchangeCounters(2);
    exchanges.cell("a", 0).add(Counter.ROUTED, 1);
    exchanges.cell("a", 1).add(Counter.ROUTED, 2);
    exchanges.cell("b", 0).add(Counter.ROUTED, 4);
    assertThat(exchanges.total(Counter.ROUTED)).isEqualTo(7);
    exchanges.forget("a");
    exchanges.forget("none");
    assertThat(exchanges.of("a")).isNull();
    assertThat(exchanges.total(Counter.ROUTED)).isEqualTo(7);
    exchanges.cell("a", 0).add(Counter.ROUTED, 8);
    assertThat(exchanges.total(Counter.ROUTED)).isEqualTo(15);
  }
}
