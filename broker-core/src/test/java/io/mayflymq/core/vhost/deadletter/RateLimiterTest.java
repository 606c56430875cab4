package io.mayflymq.core.vhost.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How fast messages may go. */
class RateLimiterTest {
  /** How many go until this time, by a caller who returns when told to. */
  private static int sent(RateLimiter budget, long from, long until) {
    int sent = 0;
    for (long now = from; now < until; ) {
      long at = budget.readyAt(now);
      if (at > now) {
        now = at;
      } else {
        budget.take();
        sent++;
      }
    }
    return sent;
  }

  @Test
  void rateLimiterKeepsItsRate() {
    assertThat(sent(new RateLimiter(100, 0), 0, 10_000)).isBetween(995, 1005);
    assertThat(sent(new RateLimiter(3, 0), 0, 10_000)).isBetween(29, 31);
    assertThat(sent(new RateLimiter(50_000, 0), 0, 1000)).isBetween(49_000, 50_001);
  }

  @Test
  void rateLimiterDoesNotCatchUpAfterAPause() {
    RateLimiter budget = new RateLimiter(100, 0);
    assertThat(sent(budget, 60_000, 60_001)).isEqualTo(10);
  }

  @Test
  void rateLimiterOfZeroDoesNotLimit() {
    RateLimiter budget = new RateLimiter(0, 0);
    for (int i = 0; i < 1000; i++) {
      assertThat(budget.readyAt(5)).isEqualTo(5);
      budget.take();
    }
  }
}
