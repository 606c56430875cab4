package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Distribution;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.SystemCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The control command as users start it, by a script of the distribution, in a process of its own.
 * What it does is tested in the process of the tests, by the other classes of this package.
 */
@OwnBroker
class ControlScriptIT {
  @TempDir static Path cache;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.builder().start();
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaintsInContext()).isEmpty();
  }

  private static ControlCommand script(String name) {
    return ControlCommand.script(name, cache, broker);
  }

  private static Outcome run(String... arguments) {
    return script("mayflyctl").run(arguments);
  }

  @Test
  void commandThatSucceedsExitsWith0AndPrintsToStandardOutputOnly() {
    Outcome outcome = run("list_users", "-s");
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).contains("guest\t[administrator]");
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void unknownCommandExitsWith64AndPrintsToStandardErrorOnly() {
    Outcome outcome = run("lst_users");
    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.out()).isEmpty();
    assertThat(String.join("\n", outcome.err())).contains("lst_users", "list_users");
  }

  @Test
  void missingArgumentExitsWith64() {
    Outcome outcome = run("add_vhost");
    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(String.join("\n", outcome.err())).contains("add_vhost");
  }

  @Test
  void refusedChangeExitsWithTheCodeOfItsError() {
    Outcome outcome = run("delete_user", "missing");
    assertThat(outcome.exit()).isEqualTo(67);
    assertThat(String.join("\n", outcome.err())).contains("missing");
  }

  @Test
  void brokerThatDoesNotRunExitsWith69(@TempDir Path empty) {
    Outcome outcome = run("--data-dir", empty.toString(), "list_users");
    assertThat(outcome.exit()).isEqualTo(69);
    assertThat(outcome.out()).doesNotContain("guest\t[administrator]");
    assertThat(outcome.err()).isNotEmpty().noneMatch(line -> line.startsWith("\tat "));
  }

  @Test
  void passwordIsReadFromStandardInput() {
    assertThat(script("mayflyctl").runWith("a secret\n", "add_user", "ann").exit()).isZero();
    assertThat(run("authenticate_user", "ann", "a secret").exit()).isZero();
    assertThat(run("authenticate_user", "ann", "another").exit()).isNotZero();
  }

  @Test
  void rabbitmqctlIsTheSameUnderAnotherName() {
    Outcome outcome = script("rabbitmqctl").run("help");
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.text()).contains("rabbitmqctl").doesNotContain("mayflyctl [");
  }

  /** bash itself reads the script and completes a word by it. */
  @Test
  void completionScriptCompletesInBash(@TempDir Path directory) throws IOException {
    Outcome outcome = run("generate_completion");
    assertThat(outcome.exit()).isZero();
    Path script =
        Files.writeString(directory.resolve("completion"), outcome.text() + System.lineSeparator());
    String complete =
        "source %s; COMP_WORDS=(mayflyctl set_oper); COMP_CWORD=1; "
            + "$(complete -p mayflyctl | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo ${COMPREPLY[@]}";
    assertThat(SystemCommand.run("bash", "-c", complete.formatted(script)).orFail())
        .contains("set_operator_policy");
  }

  /** Names with any characters are completed, and what is in them is not carried out. */
  @Test
  void completionScriptCompletesValuesInBash(@TempDir Path directory) throws IOException {
    Path script =
        Files.writeString(
            directory.resolve("completion"),
            run("generate_completion").text() + System.lineSeparator());
    Path harm = directory.resolve("harm");
    String stub =
        "mayflyctl() { case \"$*\" in *list_queues*) printf '%%s\\n' orders 'or $(touch %s)';;"
            + " *list_vhosts*) printf '%%s\\n' / shop;; *list_policies*) printf 'v\\tTTL\\n';;"
            + " esac; }; ";
    String complete =
        "source %s; %s COMP_WORDS=(mayflyctl %s); COMP_CWORD=%d; "
            + "$(complete -p mayflyctl | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo ${COMPREPLY[@]}";
    Map<String, String> expected =
        Map.of(
            "purge_queue or", "orders",
            "list_queues -p sh", "shop",
            "delete_vhost sh", "shop",
            "clear_policy T", "TTL",
            "list_queues messages_r", "messages_ready",
            "list_deaths --reason exp", "expired",
            "set_policy --apply-to quo", "quorum_queues",
            "explain_policy queue ord", "orders");
    expected.forEach(
        (words, value) ->
            assertThat(
                    SystemCommand.run(
                            "bash",
                            "-c",
                            complete.formatted(
                                script, stub.formatted(harm), words, words.split(" ").length))
                        .orFail())
                .as(words)
                .contains(value));
    assertThat(harm).doesNotExist();
  }

  /** What a terminal shows: util-linux's script gives the command one. */
  @Test
  void terminalShowsTheSameTableAsAPipe() {
    List<String> piped = run("list_vhosts", "-s").out();
    String command =
        "env JAVA_HOME=%s MAYFLY_CACHE_DIR=%s %s --data-dir %s list_vhosts -s"
            .formatted(
                System.getProperty("java.home"),
                cache,
                Distribution.bin("mayflyctl"),
                broker.data());
    String shown = SystemCommand.run("script", "-qec", command, "/dev/null").orFail();
    assertThat(shown.lines().map(String::stripTrailing).filter(line -> !line.isEmpty()))
        .containsExactlyElementsOf(piped);
  }

  @Test
  void secondStartUsesTheArchiveOfClassesThatTheFirstHasMade() throws IOException {
    assertThat(run("version").exit()).isZero();
    assertThat(run("version").exit()).isZero();
    try (Stream<Path> files = Files.list(cache)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .anyMatch(name -> name.matches("mayflyctl-.*\\.jsa"));
    }
  }
}
