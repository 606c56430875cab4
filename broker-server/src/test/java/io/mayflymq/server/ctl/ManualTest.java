package io.mayflymq.server.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.testing.ReferencePage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The manual's list of commands is generated from the commands' own descriptions. */
class ManualTest {
  private static final ReferencePage MANUAL = new ReferencePage("docs/mayflyctl.md");

  private static void check(String title, List<Command> commands) throws IOException {
    MANUAL.check(
        title,
        commands.stream()
            .map(
                command ->
                    "| `%s` | %s |"
                        .formatted(command.synopsis().replace("|", "\\|"), command.description()))
            .collect(Collectors.joining("\n", "| command | |\n|---|---|\n", "")));
  }

  @Test
  void manualListsEveryCommandWithItsDescription() throws IOException {
    for (Map.Entry<String, List<Command>> group :
        CommandRegistry.groups(GlobalOptions.DEFAULT_SCRIPT).entrySet()) {
      check(group.getKey(), group.getValue());
    }
  }

  @Test
  void commandNamesAreUnique() {
    assertThat(CommandRegistry.names(GlobalOptions.DEFAULT_SCRIPT)).doesNotHaveDuplicates();
  }

  @Test
  void commandsOfThePluginScriptAreInTheManualToo() throws IOException {
    String title = "Plugin Management";
    List<Command> commands = CommandRegistry.groups(CommandRegistry.PLUGINS_SCRIPT).get(title);
    check(title, commands);
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
