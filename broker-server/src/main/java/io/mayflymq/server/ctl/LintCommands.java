package io.mayflymq.server.ctl;

import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.definitions.DefinitionsException;
import io.mayflymq.server.definitions.DefinitionsLint;
import io.mayflymq.server.definitions.LintFinding;
import io.mayflymq.server.definitions.LintRule;
import io.mayflymq.server.definitions.LintRule.Level;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What can go wrong with definitions, told from a file; no broker is needed. */
final class LintCommands {
  private static final String STANDARD_INPUT = "-";
  private static final String FORMAT = "--format";
  private static final String TEXT = "text";
  private static final String JSON = "json";
  private static final String FAIL_ON = "--fail-on";
  private static final List<String> FORMATS = List.of(TEXT, JSON, "sarif");

  private LintCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("lint", "Tells what can go wrong with the definitions in a file")
            .inVhost()
            .arguments("file_path")
            .option(Option.text("<format>", "text, json or sarif", FORMAT).suggesting(FORMATS))
            .option(
                Option.text(
                        "<level>",
                        "from which level on the exit code is 65: error, warning or note; error"
                            + " if not given",
                        FAIL_ON)
                    .suggesting(Arrays.stream(Level.values()).map(Level::word).toList()))
            .noting(
                "No broker is needed. The virtual host is for a file of one virtual host, whose"
                    + " items do not name it. The rules are in docs/lint.md.")
            .action(LintCommands::lint),
        ProofCommand.command());
  }

  private static Result lint(Invocation invocation) {
    String formatter = invocation.format() == OutputFormat.JSON ? JSON : TEXT;
    String format = oneOf(invocation, FORMAT, FORMATS, formatter);
    Level least =
        Level.valueOf(
            oneOf(
                    invocation,
                    FAIL_ON,
                    Arrays.stream(Level.values()).map(Level::word).toList(),
                    "error")
                .toUpperCase(Locale.ROOT));
    String file = invocation.argument(0);
    List<LintFinding> findings;
    try {
      findings =
          DefinitionsLint.of(
              new ByteArrayInputStream(read(invocation, file)),
              invocation.option(GlobalOptions.VHOST));
    } catch (DefinitionsException e) {
      throw ControlException.error(
          Sysexits.DATA, "%s: %s".formatted(file, String.join("\n", e.problems())));
    }
    invocation.say(
        switch (format) {
          case JSON -> JsonWriter.text(findings.stream().map(LintFinding::toMap).toList());
          case "sarif" -> JsonWriter.text(sarif(file, findings));
          default -> text(findings);
        });
    if (findings.stream().anyMatch(finding -> finding.rule().level().compareTo(least) <= 0)) {
      throw ControlException.plain(Sysexits.DATA, counts(findings));
    }
    return new Result.Raw("");
  }

  private static String oneOf(
      Invocation invocation, String option, List<String> words, String otherwise) {
    String given = invocation.option(option);
    if (given != null && !words.contains(given)) {
      throw ControlException.usage(
          "%s '%s': expected one of %s".formatted(option, given, String.join(", ", words)));
    }
    return given == null ? otherwise : given;
  }

  static byte[] read(Invocation invocation, String file) {
    if (!file.equals(STANDARD_INPUT) && Files.isDirectory(Path.of(file))) {
      throw ControlException.error(
          Sysexits.DATA, "cannot read %s: it is a directory, expected a file".formatted(file));
    }
    try {
      return file.equals(STANDARD_INPUT) ? invocation.readAll() : Files.readAllBytes(Path.of(file));
    } catch (NoSuchFileException e) {
      throw ControlException.usage(
          Sysexits.DATA, "Bad argument: File %s does not exist".formatted(file));
    } catch (IOException e) {
      throw ControlException.error(
          Sysexits.DATA, "cannot read %s: %s".formatted(file, e.getClass().getSimpleName()));
    }
  }

  private static String text(List<LintFinding> findings) {
    return findings.isEmpty()
        ? "nothing found"
        : findings.stream()
            .map(
                finding ->
                    "%s: %s: %s [%s]"
                        .formatted(
                            finding.rule().level().word(),
                            finding.object(),
                            finding.sentence(),
                            finding.rule().id()))
            .collect(Collectors.joining("\n"));
  }

  private static String counts(List<LintFinding> findings) {
    return Arrays.stream(Level.values())
        .map(
            level ->
                "%d %ss"
                    .formatted(
                        findings.stream()
                            .filter(finding -> finding.rule().level() == level)
                            .count(),
                        level.word()))
        .collect(Collectors.joining(", "));
  }

  /**
   * Returns the findings for programs that show such of many tools.
   *
   * <p>Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
   */
  private static Map<String, Object> sarif(String file, List<LintFinding> findings) {
    List<Map<String, Object>> rules =
        Arrays.stream(LintRule.values())
            .map(
                rule ->
                    Json.object(
                        "id",
                        rule.id(),
                        "shortDescription",
                        Json.object("text", rule.summary()),
                        "defaultConfiguration",
                        Json.object("level", rule.level().word())))
            .toList();
    List<Map<String, Object>> results =
        findings.stream()
            .map(
                finding ->
                    Json.object(
                        "ruleId",
                        finding.rule().id(),
                        "level",
                        finding.rule().level().word(),
                        "message",
                        Json.object("text", finding.object() + ": " + finding.sentence()),
                        "locations",
                        List.of(
                            Json.object(
                                "physicalLocation",
                                Json.object("artifactLocation", Json.object("uri", file)),
                                "logicalLocations",
                                List.of(Json.object("fullyQualifiedName", finding.object()))))))
            .toList();
    return Json.object(
        "version",
        "2.1.0",
        "runs",
        List.of(
            Json.object(
                "tool",
                Json.object(
                    "driver",
                    Json.object(
                        "name", "mayflyctl lint", "version", BuildInfo.version(), "rules", rules)),
                "results",
                results)));
  }
}
