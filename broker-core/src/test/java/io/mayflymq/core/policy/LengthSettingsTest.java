package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The two limits and what exceeds them. */
class LengthSettingsTest {
  private static LengthSettings limit(long messages, long bytes) {
    return new LengthSettings(messages, bytes, Overflow.DROP_HEAD, 30_000, false, false);
  }

  @Test
  void lengthEqualToTheLimitDoesNotExceedIt() {
    LengthSettings limit = limit(3, 100);

    assertThat(limit.isExceededBy(3, 100)).isFalse();
    assertThat(limit.isExceededBy(4, 100)).isTrue();
    assertThat(limit.isExceededBy(3, 101)).isTrue();
  }

  @Test
  void absentLimitIsNeverExceeded() {
    assertThat(limit(-1, -1).isExceededBy(Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
    assertThat(limit(-1, 5).isExceededBy(Long.MAX_VALUE, 5)).isFalse();
    assertThat(limit(5, -1).isExceededBy(5, Long.MAX_VALUE)).isFalse();
  }

  @Test
  void limitOfZeroIsExceededByAnyMessage() {
    assertThat(limit(0, -1).isExceededBy(1, 0)).isTrue();
    assertThat(limit(0, -1).isExceededBy(0, 0)).isFalse();
    assertThat(limit(-1, 0).isExceededBy(1, 1)).isTrue();
    assertThat(limit(-1, 0).isExceededBy(1, 0)).isFalse();
  }
}
