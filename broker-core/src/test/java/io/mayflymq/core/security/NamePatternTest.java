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
  void patternMatchesAnywhereInTheName(String pattern, String name, boolean expected) {
    NamePattern compiled = NamePattern.of(pattern);
    assertThat(compiled.matches(name)).isEqualTo(expected);
    assertThat(compiled.matches(name)).as("remembered").isEqualTo(expected);
    assertThat(compiled.source()).isEqualTo(pattern);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "[a", "*", "(?<n"})
  void invalidPatternIsRefused(String pattern) {
    assertThatThrownBy(() -> NamePattern.of(pattern)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"^(a+)+$", "^(?!b)(a+)+$", "^(a+)+\\1b$"})
  void noPatternTakesExponentialTime(String pattern) {
    String name = "a".repeat(250) + "!";
    assertTimeoutPreemptively(
        ofSeconds(5), () -> assertThat(NamePattern.of(pattern).matches(name)).isFalse());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "((a{1000}){1000}){1000}",
        "a{1000}{1000}{1000}",
        "a{1000}(?i){1000}(?-i){1000}",
        "(((a{1,500})?){9,})+([b-c]{1000})*(x|y){1000}(\\w|\\d){1000,}(z{1000}){20}",
        "(?!x)((?:){20000}){20000}",
        "(?!x)(a{2147483647})",
        "[[a]&&[^b]]{900}{900}",
      })
  void patternThatTakesTooMuchMemoryIsRefused(String pattern) {
    assertThatThrownBy(() -> NamePattern.of(pattern))
        .isInstanceOf(PatternTooLargeException.class)
        .hasMessageContaining("is too large: with its repetitions written out");
    assertThatThrownBy(() -> NamePattern.ignoringCase(pattern))
        .isInstanceOf(PatternTooLargeException.class);
  }

  @Test
  void patternWithDeeplyNestedGroupsIsRefused() {
    String pattern = "(".repeat(201) + "a" + ")".repeat(201);
    assertThatThrownBy(() -> NamePattern.of(pattern))
        .isInstanceOf(PatternTooLargeException.class)
        .hasMessageContaining("to a depth of 201, of which 200 is allowed");
    assertThat(NamePattern.of("(".repeat(200) + "a" + ")".repeat(200)).matches("a")).isTrue();
  }

  /** Each of these takes Java's engine minutes, in which it looks at next to no character. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?!x)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)"
            + "(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?!)",
        "(?!x)(?:^|^|\\b){40}(?!)",
        "(?!x)(?:(?:)?(?:)?(?:)?(?:)?(?:)?){8}(?!)",
        "(?x)(?!x)(|)#[\n(|)",
      })
  void patternThatTakesTooLongOnAnEmptyTextIsRefused(String pattern) {
    assertTimeoutPreemptively(
        ofSeconds(5),
        () ->
            assertThatThrownBy(() -> NamePattern.of(pattern))
                .isInstanceOf(PatternTooLargeException.class)
                .hasMessageContaining("could take too long"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "^[[:alnum:]]{8}-[[:alnum:]]{4}-[[:alnum:]]{4}-[[:alnum:]]{4}-[[:alnum:]]{12}$",
        "^(?!amq\\.|mgmt\\.).*$",
        "^(?=.{1,255}$)[a-z]+(?:\\.[a-z0-9]+){0,20}$",
        "^(a|b|c){1,200}$",
        "[{1000}]{5}\\{1000}\\Q{1000}{1000}\\E",
        "(?<!test)-[0-9]{1,9}$",
        "^((?!tmp).)*$",
      })
  void ordinaryPatternsAreAccepted(String pattern) {
    assertThat(NamePattern.of(pattern).problem()).isNull();
  }

  @Test
  void refusedPatternReadFromTheJournalIsNotCompiledAndMatchesNothing() {
    NamePattern kept = NamePattern.kept("((a{1000}){1000}){1000}");
    assertThat(kept.matches("a".repeat(1000))).isFalse();
    assertThat(kept.source()).isEqualTo("((a{1000}){1000}){1000}");
    assertThat(kept.problem()).contains("is too large");
    assertThat(kept.size()).isZero();
    assertThat(NamePattern.kept("^a").matches("ab")).isTrue();
    assertThat(NamePattern.kept("^a").problem()).isNull();
  }

  @Test
  void patternMatchesCorrectlyWhenItsCacheIsFull() {
    NamePattern pattern = NamePattern.of("7$");
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 3000; i++) {
        assertThat(pattern.matches("q" + i)).isEqualTo(i % 10 == 7);
      }
    }
  }

  @Test
  void patternsAreEqualIfTheirSourcesAre() {
    assertThat(NamePattern.of("a"))
        .isEqualTo(NamePattern.of("a"))
        .hasSameHashCodeAs(NamePattern.of("a"))
        .isNotEqualTo(NamePattern.of("b"));
  }
}
