package io.mayflymq.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BucketBoundsTest {
  /** As the function that Prometheus rewrites them with does. */
  @ParameterizedTest
  @CsvSource({
    "0, 0.0",
    "1, 1.0",
    "2.5, 2.5",
    "100, 100.0",
    "100000, 100000.0",
    "1000000, 1e+06",
    "50000000, 5e+07",
    "1250000, 1.25e+06",
    "0.001, 0.001",
    "0.0001, 0.0001",
    "0.00005, 5e-05",
    "1e22, 1e+22"
  })
  void numbersAreAsShortAsInPrometheus(double number, String text) {
    assertThat(BucketBounds.shortest(number)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "'{a=\"le\",le=\"1.0E7\"} 1', '{a=\"le\",le=\"1e+07\"} 1'",
    "'{le=\"+Inf\"} 1.0E7', '{le=\"+Inf\"} 1.0E7'"
  })
  void onlyBoundsAreRewritten(String text, String rewritten) {
    assertThat(BucketBounds.rewrite(text)).isEqualTo(rewritten);
  }
}
