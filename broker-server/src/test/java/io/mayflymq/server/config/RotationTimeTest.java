package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RotationTimeTest {
  /** 2026-11-23 is a Monday. */
  @ParameterizedTest
  @CsvSource({
    "$D0, 2026-11-23T10:00:00Z, 2026-11-24T00:00:00Z",
    "$D0, 2026-11-24T00:00:00Z, 2026-11-25T00:00:00Z",
    "$D23, 2026-11-23T10:00:00Z, 2026-11-23T23:00:00Z",
    "$W0D23, 2026-11-23T10:00:00Z, 2026-11-29T23:00:00Z",
    "$W1D9, 2026-11-23T10:00:00Z, 2026-11-30T09:00:00Z",
    "$W5D16, 2026-11-23T10:00:00Z, 2026-11-27T16:00:00Z",
    "$M1D0, 2026-11-23T10:00:00Z, 2026-12-01T00:00:00Z",
    "$M31D6, 2026-11-23T10:00:00Z, 2026-12-31T06:00:00Z",
  })
  void nextFileBeginsAtTheTimeThatIsSaid(String time, String now, String next) {
    assertThat(RotationTime.parse(time).orElseThrow().after(Instant.parse(now)))
        .isEqualTo(Instant.parse(next));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "D0", "$D24", "$W7D1", "$M0D1", "$M32D1", "$W1M1D0", "$H0"})
  void otherTextsAreNoTimes(String text) {
    assertThat(RotationTime.parse(text)).isEmpty();
  }
}
