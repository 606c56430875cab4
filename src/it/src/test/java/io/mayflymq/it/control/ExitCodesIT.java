package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the examples in the table of exit codes of {@code docs/mayflyctl.md}. */
@OwnBroker
class ExitCodesIT {
  private static final String TITLE = "| exit code |";
  private static final Pattern COLUMN = Pattern.compile(" *\\| *");
  private static final Pattern EXAMPLE = Pattern.compile("`([^`]+)`");

  private static EmbeddedBroker broker;

  /** A command, and the code with which it ends. */
  record Example(int code, String cause, String command) {
    @Override
    public String toString() {
      return command;
    }
  }

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.builder().start();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static List<String[]> rows() throws IOException {
    return Files.readAllLines(Path.of("../../docs/mayflyctl.md")).stream()
        .dropWhile(line -> !line.startsWith(TITLE))
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> COLUMN.split(line.substring(1).strip(), -1))
        .filter(cells -> cells[0].matches("[0-9]+"))
        .toList();
  }

  static Stream<Example> examples() throws IOException {
    return rows().stream()
        .flatMap(
            cells ->
                EXAMPLE
                    .matcher(cells[2])
                    .results()
                    .map(
                        found ->
                            new Example(Integer.parseInt(cells[0]), cells[1], found.group(1))));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void theCommandEndsWithTheCodeOfItsCause(Example example) {
    Outcome outcome = ControlCommand.of(broker).runLine(example.command());
    assertThat(outcome.exit()).as("%s: %s", example.cause(), outcome).isEqualTo(example.code());
    assertThat(outcome.err().isEmpty()).isEqualTo(example.code() == 0);
  }

  @Test
  void eachCauseIsThereOnce() throws IOException {
    assertThat(rows()).extracting(cells -> cells[1]).doesNotHaveDuplicates();
    assertThat(rows()).extracting(cells -> cells[0]).isSorted();
  }
}
