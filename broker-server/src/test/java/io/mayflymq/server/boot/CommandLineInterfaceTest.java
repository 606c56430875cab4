package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.boot.CommandLineInterface.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineInterfaceTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<ServerOptions> runs = new ArrayList<>();
  private final List<CheckOptions> checks = new ArrayList<>();
  private final List<List<String>> controls = new ArrayList<>();

  private int execute(String... args) {
    Commands commands =
        new Commands(
            options -> {
              runs.add(options);
              return 17;
            },
            options -> {
              checks.add(options);
              return ExitCode.DATA;
            },
            () -> 18,
            arguments -> {
              controls.add(arguments);
              return 69;
            });
    return new CommandLineInterface(
            commands, new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(args);
  }

  @Test
  void commandLineWithoutACommandRunsTheServer() {
    assertThat(execute()).isEqualTo(17);
    assertThat(runs).containsExactly(new ServerOptions(Optional.empty(), List.of(), false));
  }

  @Test
  void optionsAreAcceptedBeforeAndAfterTheCommand() {
    execute("--config", "a.conf", "--set", "a=1", "--set=b=2");
    execute("server", "--config=a.conf", "--set", "a=1", "--set", "b=2");
    execute("--set", "a=1", "--config", "b.conf", "server", "--set", "b=2", "--config", "a.conf");
    ServerOptions expected =
        new ServerOptions(Optional.of(Path.of("a.conf")), List.of("a=1", "b=2"), false);
    assertThat(runs).containsExactly(expected, expected, expected);
  }

  @Test
  void theClockIsAnOptionToo() {
    execute("--clock", "manual", "--set", "a=1");
    execute("--clock=manual", "server", "--set", "a=1");
    ServerOptions expected =
        new ServerOptions(Optional.empty(), List.of("clock=manual", "a=1"), false);
    assertThat(runs).containsExactly(expected, expected);
  }

  @Test
  void checkDataChecksTheNamedDirectory() {
    assertThat(execute("check-data", "some/where")).isEqualTo(ExitCode.DATA);
    assertThat(execute("check-data", "--formatter", "json", "d")).isEqualTo(ExitCode.DATA);
    assertThat(checks)
        .containsExactly(
            new CheckOptions(Path.of("some/where"), CheckOptions.Formatter.TABLE),
            new CheckOptions(Path.of("d"), CheckOptions.Formatter.JSON));
    assertThat(execute("check-data")).isEqualTo(ExitCode.USAGE);
    assertThat(execute("check-data", "d", "--formatter=xml")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("DIR", "--formatter", "xml");
    assertThat(execute("check-data", "--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("Exit codes: 0 nothing is damaged, 65");
    assertThat(checks).hasSize(2);
    assertThat(runs).isEmpty();
  }

  @Test
  void valueOfSetMayContainAnyCharacter() {
    execute("--set", "default_pass=--a b,c='d'=\"e\"");
    assertThat(runs.get(0).sets()).containsExactly("default_pass=--a b,c='d'=\"e\"");
  }

  @Test
  void trainRunsTheTraining() {
    assertThat(execute("train")).isEqualTo(18);
    assertThat(runs).isEmpty();
  }

  @Test
  void versionAndHelpArePrinted() {
    assertThat(execute("--version")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).matches("MayflyMQ \\d+\\.\\d+\\.\\d+\\S*\\R");
    assertThat(execute("--help")).isEqualTo(ExitCode.OK);
    assertThat(execute("server", "--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString())
        .contains(
            "Usage: mayfly [-h]",
            "Usage: mayfly server",
            "--set=KEY=VALUE",
            "--config=FILE",
            "bin/mayflyctl");
    assertThat(runs).isEmpty();
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "--bogus, mayfly: Unknown option: '--bogus' (--help lists what there is)",
    "frob, mayfly: Unmatched argument at index 0: 'frob' (--help lists what there is)",
    "--set, mayfly: Missing required parameter for option '--set' (KEY=VALUE)"
        + " (--help lists what there is)"
  })
  void invalidArgumentsAreRefusedInOneLine(String argument, String line) {
    assertThat(execute(argument)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString().lines()).containsExactly(line);
    assertThat(runs).isEmpty();
  }

  @Test
  void argumentsAfterCtlBelongToTheControlCommand() {
    assertThat(execute("ctl", "list_queues", "-p", "/", "--set")).isEqualTo(69);
    assertThat(controls).containsExactly(List.of("list_queues", "-p", "/", "--set"));
    assertThat(err.toString()).isEmpty();
  }
}
