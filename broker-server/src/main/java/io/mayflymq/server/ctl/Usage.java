package io.mayflymq.server.ctl;

import io.mayflymq.core.naming.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The help texts of the commands. */
final class Usage {
  private static final int INDENT = 30;

  private static final Option FORECAST =
      Option.flag("changes nothing, and tells what would happen", GlobalOptions.DRY_RUN);

  private Usage() {}

  /** Returns the list of all commands in groups. */
  static String ofAll(String script) {
    List<String> lines = new ArrayList<>();
    lines.add("\nUsage\n");
    lines.add(
        script
            + " [--node <node>] [--timeout <timeout>] [--quiet] <command> [<command options>]\n");
    lines.add("Available commands:\n");
    for (Map.Entry<String, List<Command>> group : CommandRegistry.groups(script).entrySet()) {
      lines.add(group.getKey() + ":\n");
      for (Command command : group.getValue()) {
        lines.add(
            "   "
                + command.name()
                + " ".repeat(Math.max(1, INDENT - command.name().length()))
                + command.description());
      }
      lines.add("");
    }
    lines.add("Use '%s help <command>' to learn more about a specific command".formatted(script));
    return String.join("\n", lines);
  }

  /** Returns the synopsis of a command in one line. */
  static String synopsis(Command command, String script) {
    return "Usage\n\n" + script + " [--node <node>] [--quiet] " + command.synopsis();
  }

  /** Returns the help of a command with its options. */
  static String of(Command command, String script) {
    StringBuilder text = new StringBuilder("\n").append(synopsis(command, script));
    text.append("\n\n").append(command.description()).append('\n');
    if (command.note() != null) {
      text.append('\n').append(command.note()).append('\n');
    }
    if (!command.parameters().isEmpty()) {
      text.append("\nParameters\n\n");
      command.parameters().stream()
          .distinct()
          .forEach(
              parameter ->
                  text.append(parameter)
                      .append("\n\t")
                      .append(ParameterHelp.of(parameter))
                      .append('\n'));
    }
    List<Option> own = new ArrayList<>(command.options());
    List<Option> general = new ArrayList<>(GlobalOptions.ALL);
    if (command.forecasts()) {
      general.remove(GlobalOptions.NO_CHANGE);
      own.add(FORECAST);
    }
    if (!own.isEmpty()) {
      text.append("\nOptions\n\n").append(options(own));
    }
    text.append("\nGeneral options\n\n").append(options(general));
    return text.toString();
  }

  private static String options(List<Option> options) {
    StringBuilder text = new StringBuilder();
    for (Option option : options) {
      text.append(String.join(", ", option.names()));
      text.append(option.label() == null ? "" : " " + option.label());
      text.append("\n\t").append(option.description()).append('\n');
    }
    return text.toString();
  }

  /** Returns the error text for an unknown command. */
  static String unknown(String name, String script) {
    String text = "\nCommand '%s' not found. \n".formatted(name);
    return NearestName.of(name, CommandRegistry.names(script))
        .map(similar -> text + "Did you mean '%s'? \n".formatted(similar))
        .orElseGet(() -> text + ofAll(script));
  }
}
