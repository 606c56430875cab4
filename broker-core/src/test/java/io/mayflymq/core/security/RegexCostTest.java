package io.mayflymq.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegexCostTest {
  /** An expression that takes RE2/J no more than some megabytes. */
  private static final long SAFE = 50_000;

  /** Where the program of RE2/J begins and ends. */
  private static final int FRAME = 4;

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "abc, 3",
        "a{3}, 6",
        "a{0}, 2",
        "a{2;5}, 10",
        "a{2;}, 6",
        "(ab){2}, 12",
        "a|b, 4",
        "[{9}], 6",
        "\\Q{9}\\E, 3",
        "\\x{999}, 1",
        "a{b}, 4",
      })
  void costCountsRepetitionsWrittenOut(String pattern, long size) {
    assertThat(RegexCost.of(pattern.replace(';', ',')).size()).isEqualTo(size);
  }

  @Provide
  Arbitrary<String> expressions() {
    Arbitrary<String> pieces =
        Arbitraries.of(
            "a",
            "b",
            ".",
            "^",
            "$",
            "\\b",
            "\\d",
            "\\pL",
            "\\p{Greek}",
            "[a-c]",
            "[^]x]",
            "[[:alpha:]{9}]",
            "[]{7}]",
            "[a[b]",
            "\\Q{5}(\\E",
            "\\Qab",
            "\\E",
            "(",
            "(?:",
            "(?i)",
            "(?P<n>",
            "(?i:",
            ")",
            "|",
            "*",
            "+",
            "?",
            "{3}",
            "{2,}",
            "{2,7}",
            "{0,30}",
            "{",
            "}",
            "{,4}",
            "\\{4}",
            "\\x{61}",
            "\\",
            "[",
            "]",
            "(?=",
            "(?!",
            "(?<!",
            "\\1",
            "ü",
            "\\[",
            "-");
    return pieces.list().ofMinSize(1).ofMaxSize(14).map(list -> String.join("", list));
  }

  @Property(tries = 20_000)
  void costIsAtLeastTheProgramSizeOfRe2(@ForAll("expressions") String expression) {
    long size = RegexCost.of(expression).size();
    if (size > SAFE) {
      return;
    }
    try {
      assertThat((long) Pattern.compile(expression).programSize())
          .as(expression)
          .isLessThanOrEqualTo(size + FRAME);
      assertThat((long) Pattern.compile(expression, Pattern.CASE_INSENSITIVE).programSize())
          .as(expression)
          .isLessThanOrEqualTo(size + FRAME);
    } catch (PatternSyntaxException e) {
      // Not an expression of RE2: it makes nothing of it.
      assertThat(e).isNotNull();
    }
  }
}
