package io.mayflymq.server.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The manual's list of commands is generated from the commands' own descriptions. */
class ManualTest {
  private static final Path MANUAL = Path.of("..", "docs", "mayflyctl.md");

  /** One group as the manual has it; a failure shows what belongs there. */
  private static String section(String title, List<Command> commands) {
    return commands.stream()
        .map(
            command ->
                "| `%s` | %s |"
                    .formatted(command.synopsis().replace("|", "\\|"), command.description()))
        .collect(
            Collectors.joining("\n", "### %s\n\n| command | |\n|---|---|\n".formatted(title), ""));
  }

  @Test
  void manualListsEveryCommandWithItsDescription() throws IOException {
    String manual = Files.readString(MANUAL);
    CommandRegistry.groups(GlobalOptions.DEFAULT_SCRIPT)
        .forEach((title, commands) -> assertThat(manual).contains(section(title, commands)));
  }

  @Test
  void commandNamesAreUnique() {
    assertThat(CommandRegistry.names(GlobalOptions.DEFAULT_SCRIPT)).doesNotHaveDuplicates();
  }

  @Test
  void commandsOfThePluginScriptAreInTheManualToo() throws IOException {
    String title = "Plugin Management";
    List<Command> commands = CommandRegistry.groups(CommandRegistry.PLUGINS_SCRIPT).get(title);
    assertThat(Files.readString(MANUAL)).contains(section(title, commands));
  }

  @Test
  void everyParameterIsExplained() {
    for (String script : List.of(GlobalOptions.DEFAULT_SCRIPT, CommandRegistry.PLUGINS_SCRIPT)) {
      CommandRegistry.groups(script).values().stream()
          .flatMap(List::stream)
          .forEach(
              command ->
                  assertThat(command.parameters())
                      .as(command.name())
                      .allSatisfy(each -> assertThat(ParameterHelp.of(each)).isNotBlank()));
    }
  }
}
