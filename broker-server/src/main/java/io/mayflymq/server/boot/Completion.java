package io.mayflymq.server.boot;

import io.mayflymq.server.ctl.ControlManual;
import io.mayflymq.server.ctl.ControlManual.Entry;
import java.util.List;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;

/** Scripts by which shells complete commands and options. */
final class Completion {
  private Completion() {}

  /** Returns the script for bash and the broker's command. */
  static String bashOfBroker() {
    return AutoComplete.bash("mayfly", new CommandLine(CommandLineInterface.spec()));
  }

  /** Returns the script for zsh and the control command, which shows descriptions too. */
  static String zshOfControl() {
    List<Entry> commands =
        ControlManual.commands().values().stream().flatMap(List::stream).toList();
    String general = options(ControlManual.generalOptions());
    return """
        #compdef mayflyctl
        local curcontext="$curcontext" state
        local -a commands
        commands=(
        %s
        )
        _arguments -C %s \\
          '1:command:->command' '*::argument:->argument'
        case $state in
          command) _describe -t commands command commands ;;
          argument)
            case $words[1] in
        %s
              *) _arguments %s '*:argument:_files' ;;
            esac
            ;;
        esac
        """
        .formatted(
            commands.stream()
                .map(command -> "  " + quoted(command.name() + ":" + command.description()))
                .collect(Collectors.joining("\n")),
            general,
            commands.stream()
                .filter(command -> !command.options().isEmpty())
                .map(
                    command ->
                        "      %s) _arguments %s %s '*:argument:_files' ;;"
                            .formatted(command.name(), options(command.options()), general))
                .collect(Collectors.joining("\n")),
            general);
  }

  private static String options(List<ControlManual.Term> options) {
    return options.stream()
        .flatMap(
            option ->
                option.names().stream()
                    .map(
                        name ->
                            quoted(
                                "%s[%s]%s"
                                    .formatted(
                                        name,
                                        option.meaning().replaceAll("[\\[\\]:]", " "),
                                        option.hasValue() ? ":value:" : ""))))
        .collect(Collectors.joining(" "));
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
