package io.mayflymq.core.security;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamePatternTest {
  @ParameterizedTest
  @CsvSource({
    "'', q, false",
    "'', '', true",
    ".*, anything, true",
    ".*, '', true",
    "^$, q, false",
    "q, a-queue, true",
    "^q, a-queue, false",
    "^q$, q, true",
    "^(a|b)-.*$, b-1, true",
    "^(a|b)-.*$, c-1, false",
    "^(?!amq\\.).*, amq.direct, false",
    "^(?!amq\\.).*, orders, true",
    "^(.)\\1$, aa, true",
    "^(.)\\1$, ab, false",
  })
  void matchesAnywhereInTheName(String pattern, String name, boolean expected) {
    NamePattern compiled = NamePattern.of(pattern);
    assertThat(compiled.matches(name)).isEqualTo(expected);
    assertThat(compiled.matches(name)).as("remembered").isEqualTo(expected);
    assertThat(compiled.source()).isEqualTo(pattern);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "[a", "*", "(?<n"})
  void refusesWhatIsNoExpression(String pattern) {
    assertThatThrownBy(() -> NamePattern.of(pattern)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"^(a+)+$", "^(?!b)(a+)+$", "^(a+)+\\1b$"})
  void noPatternTakesExponentialTime(String pattern) {
    String name = "a".repeat(250) + "!";
    assertTimeoutPreemptively(
        ofSeconds(5), () -> assertThat(NamePattern.of(pattern).matches(name)).isFalse());
  }

  @Test
  void staysRightWhenItRemembersNoMore() {
    NamePattern pattern = NamePattern.of("7$");
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 3000; i++) {
        assertThat(pattern.matches("q" + i)).isEqualTo(i % 10 == 7);
      }
    }
  }

  @Test
  void comparesByItsSource() {
    assertThat(NamePattern.of("a"))
        .isEqualTo(NamePattern.of("a"))
        .hasSameHashCodeAs(NamePattern.of("a"))
        .isNotEqualTo(NamePattern.of("b"));
  }
}
