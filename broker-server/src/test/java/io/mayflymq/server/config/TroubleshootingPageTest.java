package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the page of error texts: each text in the first column of a table is in the sources, so
 * that a reader who searches the page for what was printed finds it.
 */
class TroubleshootingPageTest {
  private static final Path PAGE = Path.of("..", "docs", "troubleshooting.md");
  private static final List<String> MODULES =
      List.of("broker-protocol", "broker-core", "broker-cluster", "broker-shovel", "broker-server");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** What stands for a value, or is put in front of all texts of a kind. */
  private static final Pattern VALUE =
      Pattern.compile(
          "\\.\\.\\.|'[^']*'|\\b[NM]\\b|\\b(?:DIR|FILE|LINE|ADDRESS|PLAIN)\\b|[A-Z_]{5,} - |mayfly:|:"
              + "|\\bconfigure access to queue\\b|mayfly\\.format|\\b(?:channel|frame)_max\\b|\\bx\\b|^(?:memory|disk)\\b|\\bset$");

  /** Texts of Java or of the operating system. */
  private static final Set<String> OF_OTHERS =
      Set.of(
          "Address already in use",
          "Could not reserve enough space",
          "UnsupportedClassVersionError");

  private static final int SHORTEST = 8;

  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .forEach(file -> all.append(textsTogether(file)));
      }
    }
    return all.toString();
  }

  /** A source whose texts are not cut into lines. */
  private static String textsTogether(Path file) {
    try {
      return Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> fragments() throws IOException {
    List<String> fragments = new ArrayList<>();
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("| ")) {
        String first = line.substring(0, line.indexOf(" | ", 2));
        CODE.matcher(first)
            .results()
            .map(MatchResult::group)
            .flatMap(code -> VALUE.splitAsStream(code.substring(1, code.length() - 1)))
            .map(String::strip)
            .filter(fragment -> fragment.length() >= SHORTEST)
            .forEach(fragments::add);
      }
    }
    return fragments;
  }

  @Test
  void eachTextOfThePageIsInTheSources() throws IOException {
    String sources = sources();
    List<String> fragments = fragments();
    assertThat(fragments).hasSizeGreaterThan(80);
    assertThat(fragments)
        .filteredOn(fragment -> !OF_OTHERS.contains(fragment))
        .allSatisfy(fragment -> assertThat(sources.contains(fragment)).as(fragment).isTrue());
  }

  @Test
  void eachPageIsInTheListOfPages() throws IOException {
    Path docs = PAGE.getParent();
    String list = Files.readString(docs.resolve("README.md"));
    try (Stream<Path> pages = Files.list(docs)) {
      assertThat(pages.map(page -> page.getFileName().toString()))
          .filteredOn(name -> name.endsWith(".md") && !name.equals("README.md"))
          .allMatch(name -> list.contains("](" + name));
    }
  }
}
