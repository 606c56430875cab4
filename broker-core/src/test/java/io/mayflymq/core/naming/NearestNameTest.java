package io.mayflymq.core.naming;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
  private static final List<String> KEYS = List.of("max-length", "max-length-bytes", "message-ttl");

  @ParameterizedTest
  @CsvSource({
    "max-length, max-length, 0",
    "max-lenght, max-length, 1",
    "x-mesage-ttl, x-message-ttl, 1",
    "max-lengths, max-length, 1",
    "max_length, max-length, 1",
    "'', abc, 3",
    "abc, '', 3",
    "kitten, sitting, 3",
  })
  void editsAreCountedWithSwappedNeighboursAsOne(String from, String to, int edits) {
    assertThat(NearestName.edits(from, to)).isEqualTo(edits);
  }

  @Test
  void theNearestNameIsFound() {
    assertThat(NearestName.of("max-lenght", KEYS)).contains("max-length");
    assertThat(NearestName.of("max-lenght-bytes", KEYS)).contains("max-length-bytes");
    assertThat(NearestName.hint("mesage-ttl", KEYS)).isEqualTo("; did you mean 'message-ttl'?");
  }

  @Test
  void nothingIsSuggestedThatIsNotNear() {
    assertThat(NearestName.of("overflow", KEYS)).isEmpty();
    assertThat(NearestName.hint("overflow", KEYS)).isEmpty();
    assertThat(NearestName.of("q1", List.of("x9"))).isEmpty();
    assertThat(NearestName.of("q1", List.of("q2"))).contains("q2");
  }
}
