package io.mayflymq.core.retention;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The two limits and what exceeds them. */
class LengthLimitTest {
  @Test
  void lengthEqualToTheLimitDoesNotExceedIt() {
    LengthLimit limit = new LengthLimit(3, 100);

    assertThat(limit.isExceededBy(3, 100)).isFalse();
    assertThat(limit.isExceededBy(4, 100)).isTrue();
    assertThat(limit.isExceededBy(3, 101)).isTrue();
  }

  @Test
  void absentLimitIsNeverExceeded() {
    assertThat(new LengthLimit(-1, -1).isExceededBy(Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
    assertThat(new LengthLimit(-1, 5).isExceededBy(Long.MAX_VALUE, 5)).isFalse();
    assertThat(new LengthLimit(5, -1).isExceededBy(5, Long.MAX_VALUE)).isFalse();
  }

  @Test
  void limitOfZeroIsExceededByAnyMessage() {
    assertThat(new LengthLimit(0, -1).isExceededBy(1, 0)).isTrue();
    assertThat(new LengthLimit(0, -1).isExceededBy(0, 0)).isFalse();
    assertThat(new LengthLimit(-1, 0).isExceededBy(1, 1)).isTrue();
    assertThat(new LengthLimit(-1, 0).isExceededBy(1, 0)).isFalse();
  }
}
