package io.mayflymq.server;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.testing.ReferencePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the pages for contributors: each class and each package that they name is there. */
class ContributorPagesTest {
  private static final Path ROOT = Path.of("..");
  private static final Path ARCHITECTURE = ROOT.resolve("docs/architecture.md");
  private static final Path DECISIONS = ROOT.resolve("docs/design-decisions.md");
  private static final List<String> MODULES =
      List.of(
          "broker-protocol",
          "broker-core",
          "broker-cluster",
          "broker-shovel",
          "broker-server",
          "broker-test");
  private static final Pattern BLOCK = Pattern.compile("(?s)```.*?```");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");

  /** A name of at least two words, which is not part of a path or of a longer name. */
  private static final Pattern CLASS =
      Pattern.compile("(?<![\\w./-])((?:[A-Z][a-z0-9]+){2,}[A-Z]?)(?=$|[.#(,; ])");

  /** What begins with "cluster." may be a key of the configuration. */
  private static final Pattern PACKAGE =
      Pattern.compile("(?:io\\.mayflymq\\.)?((?:protocol|core|shovel|server)(?:\\.[a-z]+)+)");

  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");

  /** Classes of Java, Netty, Logback and Ratis, and errors of Java. */
  private static final Set<String> OF_OTHERS =
      Set.of(
          "AssertionError",
          "HashMap",
          "HashedWheelTimer",
          "JvmPauseMonitor",
          "LongAdder",
          "OutOfMemoryError",
          "PatternLayout",
          "PreserveFramePointer",
          "RaftServer",
          "ScheduledThreadPoolExecutor",
          "SslProvider",
          "StackOverflowError",
          "StateMachine",
          "TreeMap");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/cluster-internals.md",
        "docs/clustering.md",
        "docs/design-decisions.md",
        "docs/durability-format.md",
        "docs/measuring.md",
        "docs/packages.md",
        "docs/performance.md",
        "docs/quorum-queue-internals.md",
        "docs/testing.md",
        "docs/threading.md"
      })
  void classesAndPackagesAreThere(String page) throws IOException {
    Set<String> classes = declaredClasses();
    Set<String> packages = packages();
    Set<String> missing = new TreeSet<>();
    for (String code : codes(ROOT.resolve(page))) {
      matches(CLASS, code)
          .filter(not(classes::contains))
          .filter(not(OF_OTHERS::contains))
          .forEach(missing::add);
      if (PACKAGE.matcher(code).matches()) {
        matches(PACKAGE, code).filter(not(packages::contains)).forEach(missing::add);
      }
    }
    assertThat(missing).as(page).isEmpty();
  }

  @Test
  void theTableOfPackagesIsWhole() throws IOException {
    Set<String> rows = new TreeSet<>();
    for (String line : Files.readAllLines(ARCHITECTURE)) {
      if (line.startsWith("| `io.mayflymq.")) {
        rows.add(line.substring("| `io.mayflymq.".length(), line.indexOf("` |")));
      }
    }
    assertThat(rows).isEqualTo(packages());
  }

  @Test
  void theIndexOfDecisionsIsWhole() throws IOException {
    Set<String> classes = declaredClasses();
    Map<String, Set<String>> sections = new TreeMap<>();
    String prose = BLOCK.matcher(Files.readString(DECISIONS)).replaceAll("");
    for (String section : prose.substring(0, prose.indexOf("\n## Index")).split("\n## ")) {
      String title = section.substring(0, section.indexOf('\n'));
      matches(CODE, section)
          .flatMap(code -> matches(CLASS, code))
          .filter(classes::contains)
          .forEach(name -> sections.computeIfAbsent(name, any -> new LinkedHashSet<>()).add(title));
    }
    StringBuilder table = new StringBuilder("| class | sections |\n|---|---|\n");
    sections.forEach(
        (name, titles) ->
            table.append(
                "| `%s` | %s |\n"
                    .formatted(
                        name,
                        titles.stream()
                            .map(title -> "[%s](#%s)".formatted(title, anchor(title)))
                            .collect(Collectors.joining(", ")))));
    new ReferencePage("docs/design-decisions.md").check("classes", table.toString());
  }

  private static String anchor(String title) {
    return title.toLowerCase(Locale.ROOT).replace(' ', '-');
  }

  private static List<String> codes(Path page) throws IOException {
    String prose = BLOCK.matcher(Files.readString(page)).replaceAll("");
    return matches(CODE, prose).toList();
  }

  private static Stream<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1));
  }

  private static Set<String> declaredClasses() throws IOException {
    Set<String> declared = new TreeSet<>();
    for (String sources : List.of("src/main", "src/test")) {
      for (String module : MODULES) {
        addDeclared(ROOT.resolve(module).resolve(sources), declared);
      }
    }
    for (String directory : List.of("it/src", "bench/src", "testing")) {
      addDeclared(ROOT.resolve("src").resolve(directory), declared);
    }
    return declared;
  }

  private static void addDeclared(Path directory, Set<String> declared) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        matches(DECLARED, Files.readString(file)).forEach(declared::add);
      }
    }
  }

  /** Returns the packages that have classes, without {@code io.mayflymq}. */
  private static Set<String> packages() throws IOException {
    Set<String> packages = new TreeSet<>();
    for (String module : MODULES) {
      Path sources = ROOT.resolve(module).resolve("src/main/java/io/mayflymq");
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .filter(path -> path.toString().endsWith(".java"))
            .map(path -> sources.relativize(path.getParent()).toString().replace('/', '.'))
            .forEach(packages::add);
      }
    }
    return packages;
  }
}
