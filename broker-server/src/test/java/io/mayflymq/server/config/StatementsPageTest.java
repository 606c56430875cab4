package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.mayflymq.core.policy.PolicyKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the page about statements in other brokers' documents: each option that it names exists
 * and accepts the value shown, and each test exists.
 */
class StatementsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "statements.md");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** Those columns that name something: what gives it, and what shows it. */
  private record Row(String statement, List<String> options, List<String> tests) {
    static Row of(String line) {
      String[] cells = line.split("\\|", -1);
      assertThat(cells).as(line).hasSize(6);
      return new Row(cells[1].trim(), codes(cells[3]), codes(cells[4]));
    }

    private static List<String> codes(String cell) {
      return CODE.matcher(cell).results().map(MatchResult::group).map(Row::bare).toList();
    }

    private static String bare(String code) {
      return code.substring(1, code.length() - 1);
    }
  }

  private static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    boolean inTable = false;
    for (String line : Files.readAllLines(PAGE)) {
      if (!line.startsWith("|")) {
        inTable = false;
      } else if (line.startsWith("|---")) {
        inTable = true;
      } else if (inTable) {
        rows.add(Row.of(line));
      }
    }
    assertThat(rows).hasSizeGreaterThan(100);
    return rows;
  }

  @Test
  void everyOptionOnThePageExists() throws IOException {
    for (Row row : rows()) {
      row.options().forEach(option -> assertOption(row, option));
    }
  }

  /** An option may stand with a value behind it, as in {@code expiry-mode = lazy}. */
  private static void assertOption(Row row, String text) {
    String[] parts = text.split(" = ", 2);
    Optional<PolicyKey> key = policyKey(parts[0]);
    if (key.isPresent() && parts.length == 2) {
      assertThatCode(() -> key.get().parse(parts[1]))
          .as("'%s' of: %s", text, row.statement())
          .doesNotThrowAnyException();
    }
    assertThat(key.isPresent() || Keys.ALL.stream().anyMatch(known -> known.matches(parts[0])))
        .as("'%s' of: %s", text, row.statement())
        .isTrue();
  }

  private static Optional<PolicyKey> policyKey(String name) {
    return Stream.of(PolicyKey.values())
        .filter(key -> key.hasEffect())
        .filter(key -> name.equals(key.wireName()) || name.equals(key.argument()))
        .filter(key -> key != PolicyKey.EXCHANGE_EXPIRES || name.equals(key.wireName()))
        .findFirst()
        .or(
            () ->
                name.startsWith("defaults.")
                    ? PolicyKey.ofWireName(name.substring("defaults.".length()))
                    : Optional.empty());
  }

  @Test
  void everyTestOnThePageExists() throws IOException {
    Map<String, String> sources = testSources();
    for (Row row : rows()) {
      assertThat(row.tests())
          .as(row.statement())
          .isNotEmpty()
          .allMatch(test -> isThere(test, sources));
    }
  }

  private static boolean isThere(String test, Map<String, String> sources) {
    String[] parts = test.split("\\.", 2);
    return parts.length == 2
        && sources.getOrDefault(parts[0], "").contains("void " + parts[1] + "(");
  }

  private static Map<String, String> testSources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (String module :
        List.of(
            "broker-protocol",
            "broker-core",
            "broker-cluster",
            "broker-shovel",
            "broker-server",
            "src/it")) {
      try (Stream<Path> files =
          Files.walk(Path.of("..").resolve(module).resolve("src/test/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          sources.merge(name, Files.readString(file), String::concat);
        }
      }
    }
    return sources;
  }
}
