package io.mayflymq.server.definitions;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.proof.ClaimId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each claim has a row on its page, which names the tests that hold it. */
class ProofPageTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve(Path.of("docs", "proof.md"));
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final List<String> TESTS =
      List.of("broker-core/src/test/java", "broker-cluster/src/test/java", "src/it/src/test/java");

  private static List<String[]> rows() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.split(" \\| ", -1))
        .toList();
  }

  /** The sources of tests by the names of their classes. */
  private static Map<String, String> tests() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (String directory : TESTS) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(directory))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          String name = file.getFileName().toString();
          sources.merge(
              name.substring(0, name.length() - ".java".length()),
              Files.readString(file),
              String::concat);
        }
      }
    }
    return sources;
  }

  @Test
  void eachClaimHasARow() throws IOException {
    assertThat(rows().stream().map(row -> row[0].substring(2)))
        .containsExactlyElementsOf(
            Arrays.stream(ClaimId.values()).map(id -> "`" + id.id() + "`").toList());
  }

  @Test
  void eachRowSaysWhetherItCanHappen() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String[] row : rows()) {
      ClaimId id =
          ClaimId.valueOf(
              row[0].replaceAll("[|` ]", "").toUpperCase(Locale.ROOT).replace('-', '_'));
      if (id.can() == row[1].contains("cannot")) {
        wrong.add(id.id());
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void eachRowNamesTestsThatExist() throws IOException {
    Map<String, String> tests = tests();
    for (String[] row : rows()) {
      List<String> named =
          CODE.matcher(row[3])
              .results()
              .map(MatchResult::group)
              .map(text -> text.replace("`", ""))
              .toList();
      assertThat(named).as(row[0]).isNotEmpty();
      for (String test : named) {
        String[] parts = test.split("\\.");
        assertThat(tests).as(row[0]).containsKey(parts[0]);
        if (parts.length > 1) {
          assertThat(tests.get(parts[0])).as(test).containsPattern("void " + parts[1] + "\\(");
        }
      }
    }
  }
}
