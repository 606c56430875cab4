package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogLineLimitTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 50);
  private final LogLineLimit limit = new LogLineLimit(2, 100, clock::get);

  private void pass(long nanos) {
    clock.addAndGet(nanos);
  }

  @Test
  void linesAboveTheLimitAreOmittedAndCounted() {
    assertThat(limit.next()).isEqualTo(new LogLineLimit.Verdict(true, ""));
    assertThat(limit.next()).isEqualTo(new LogLineLimit.Verdict(true, ""));
    for (int i = 0; i < 5; i++) {
      assertThat(limit.next().isAdmitted()).isFalse();
    }
    pass(99);
    assertThat(limit.next().isAdmitted()).isFalse();
    pass(1);
    assertThat(limit.next())
        .isEqualTo(new LogLineLimit.Verdict(true, " (6 more such lines left out)"));
    assertThat(limit.next()).isEqualTo(new LogLineLimit.Verdict(true, ""));
    assertThat(limit.next().isAdmitted()).isFalse();
  }

  @Test
  void omittedLinesAreReportedAtTheEnd() {
    for (int i = 0; i < 3; i++) {
      limit.next();
    }
    assertThat(limit.end()).isEqualTo(" (1 more such lines left out)");
    assertThat(limit.end()).isEmpty();
  }
}
