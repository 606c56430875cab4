package io.mayflymq.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ScrapeTest {
  @Test
  void detailsAreThoseAskedFor() {
    Scrape scrape = Scrape.detailed("family=a&family=b&vhost=%2F&vhost=x+y&queue=%5Eq&other=1&z");
    assertThat(scrape.wants("a")).isTrue();
    assertThat(scrape.wants("c")).isFalse();
    assertThat(scrape.wantsVhost("/")).isTrue();
    assertThat(scrape.wantsVhost("x y")).isTrue();
    assertThat(scrape.wantsVhost("z")).isFalse();
    assertThat(scrape.wantsQueue("q1")).isTrue();
    assertThat(scrape.wantsQueue("1q")).isFalse();
  }

  @Test
  void nothingIsAskedForWithoutFamily() {
    Scrape scrape = Scrape.detailed(null);
    assertThat(scrape.wants("a")).isFalse();
    assertThat(scrape.wantsVhost("any")).isTrue();
    assertThat(Scrape.of(Scrape.Endpoint.AGGREGATED).wants("a")).isTrue();
  }

  @Test
  void malformedQueriesAreRefused() {
    assertThatThrownBy(() -> Scrape.detailed("queue=("))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Invalid 'queue' regex: ");
    assertThatThrownBy(() -> Scrape.detailed("queue=" + "q".repeat(2001)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected 2000 at most");
    assertThatThrownBy(() -> Scrape.detailed("family=%"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
