package io.mayflymq.server.definitions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each rule of a lint has a row on its page, which names the test that holds it. */
class LintPageTest {
  private static final Path PAGE = Path.of("..", "docs", "lint.md");

  private static List<String[]> rows() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(2, line.length() - 2).split(" \\| ", -1))
        .toList();
  }

  @Test
  void eachRuleHasARowWithItsLevel() throws IOException {
    assertThat(rows().stream().map(row -> row[0].trim() + " " + row[1].trim()))
        .containsExactlyElementsOf(
            Arrays.stream(LintRule.values())
                .map(rule -> "`%s` %s".formatted(rule.id(), rule.level().word()))
                .toList());
  }

  @Test
  void eachRowTellsTheReasonWhatWouldChangeItAndATest() throws IOException {
    List<String> tests =
        Arrays.stream(DefinitionsLintTest.class.getDeclaredMethods())
            .filter(method -> !method.isSynthetic())
            .map(method -> "`" + method.getName() + "`")
            .toList();
    for (String[] row : rows()) {
      assertThat(row).as(row[0]).hasSize(5).doesNotContain("");
      assertThat(tests).as(row[0]).contains(row[4].trim());
    }
  }
}
