package io.mayflymq.server.management.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameFilterTest {
  private static final List<String> NAMES =
      List.of("dead.orders", "Dead.bills", "orders", "orders.orders", "bills");

  @ParameterizedTest
  @CsvSource({
    "^(?!dead).*, orders orders.orders bills",
    "^(?!DEAD).*, orders orders.orders bills",
    "(?<!dead\\.)bills$, bills",
    "^(ORDERS)\\.\\1$, orders.orders",
    "^(?=.*\\.)(?!dead), orders.orders",
    "^dead, dead.orders Dead.bills",
    "^DEAD\\., dead.orders Dead.bills",
  })
  void aRegularExpressionIgnoresCaseAndMayLookAround(String pattern, String found) {
    assertThat(NameFilter.matching(pattern).of(NAMES, Function.identity()))
        .containsExactly(found.split(" "));
  }

  @Test
  void aPartIsNoRegularExpression() {
    assertThat(NameFilter.containing("DEAD.").of(NAMES, Function.identity()))
        .containsExactly("dead.orders", "Dead.bills");
    assertThat(NameFilter.containing("^dead").of(NAMES, Function.identity())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "[, name: invalid regular expression '[': Unclosed character class",
    "(?<=a, name: invalid regular expression '(?<=a': Unclosed group",
    "(?!x)(|)(|)(|)(|)(|), name: regular expression could take too long: parts of it",
    "((a{1000}){1000}){1000}, name: regular expression is too large: with its repetitions",
  })
  void anInvalidOrCostlyExpressionIsRefusedWithTheReason(String pattern, String reason) {
    assertThatThrownBy(() -> NameFilter.matching(pattern))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.status()).isEqualTo(400))
        .hasMessageContaining(reason);
  }

  @Test
  void aNameOnWhichTheExpressionTakesTooManyStepsIsNotFound() {
    List<String> names = List.of("a".repeat(250) + "!", "aaa");
    assertThat(NameFilter.matching("^(?!b)(a+)+$").of(names, Function.identity()))
        .containsExactly("aaa");
  }

  @Test
  void allNamesTogetherMayTakeSoLong() {
    AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    NameFilter filter = NameFilter.matching("s$", clock::get);
    Function<String, String> slow =
        name -> {
          clock.addAndGet(NameFilter.MOST.toNanos() / 4);
          return name;
        };
    assertThat(filter.of(NAMES, slow)).hasSize(5);
    List<String> more = List.of("a", "b", "c", "d", "e", "f");
    assertThatThrownBy(() -> filter.of(more, slow))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.status()).isEqualTo(400))
        .hasMessageContaining("name: regular expression takes too long: more than 5 s for 6 names");
  }
}
