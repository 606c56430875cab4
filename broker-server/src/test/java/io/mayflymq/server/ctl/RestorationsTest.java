package io.mayflymq.server.ctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestorationsTest {
  private static final ZonedDateTime NOW = ZonedDateTime.parse("2026-11-29T10:30:00+01:00");

  @ParameterizedTest
  @CsvSource({
    "10:29, 2026-11-29T10:29:00+01:00",
    "10:29:30, 2026-11-29T10:29:30+01:00",
    "10:42, 2026-11-28T10:42:00+01:00",
    "2026-11-01T00:05, 2026-11-01T00:05:00+01:00",
    "2026-11-29T09:00:00Z, 2026-11-29T10:00:00+01:00",
    "90s, 2026-11-29T10:28:30+01:00",
    "1D, 2026-11-28T10:30:00+01:00",
  })
  void timesAreOfTheDayOrOfADateOrAgo(String given, String expected) {
    assertThat(Restorations.time(given, NOW))
        .isEqualTo(ZonedDateTime.parse(expected).toInstant().toEpochMilli());
  }

  @Test
  void whatIsNoTimeIsNamed() {
    assertThatThrownBy(() -> Restorations.time("soon", NOW)).hasMessageContaining("'soon'");
  }
}
