package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands that show help. */
final class HelpCommands {
  private static final String NAMES =
      """
      # Completes names of queues, policies, virtual hosts and users by asking the broker.
      function _names_SCRIPT() {
        _complete_SCRIPT "$@"
        local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
        local kind="" vhost="/" names="" name i
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "${COMP_WORDS[i]}" in
            -p|--vhost) vhost="${COMP_WORDS[i+1]}" ;;
      COMMANDS
          esac
        done
        case "$prev" in
          -p|--vhost) kind='vhost' ;;
          --queue|--to) kind='queue' ;;
          explain_policy|prove|exchange) kind='' ;;
        esac
        case "$cur" in -*) return ;; esac
        case "$kind" in
      LISTS
        esac 2> /dev/null
        while IFS= read -r name; do
          if [[ -n "$name" && "$name" == "$cur"* ]]; then
            COMPREPLY+=("$(printf %q "$name")")
          fi
        done <<< "$names"
      }
      complete -F _names_SCRIPT -o default SCRIPT
      """;

  private HelpCommands() {}

  static List<Command> all() {
    return List.of(
        Command.named("help", "Displays usage information for a command")
            .optionalArgument("command")
            .action(HelpCommands::help),
        Command.named("autocomplete", "Lists the commands whose names begin so")
            .arguments("prefix")
            .shownAs(OutputFormat.STRING)
            .action(HelpCommands::beginning),
        Command.named("version", "Displays CLI tools version")
            .shownAs(OutputFormat.STRING)
            .action(NodeCommands::version),
        Command.named("generate_completion", "Prints a script that completes commands and options")
            .noting(
                "For bash: source <(mayflyctl generate_completion). For zsh the same, after"
                    + " autoload -U +X bashcompinit && bashcompinit.")
            .action(HelpCommands::completion));
  }

  private static Result help(Invocation invocation) {
    if (invocation.arguments().isEmpty()) {
      return new Result.Raw(Usage.ofAll(invocation.script()));
    }
    String name = invocation.argument(0);
    Command command = CommandRegistry.find(name, invocation.script());
    if (command == null) {
      throw ControlException.plain(Sysexits.USAGE, Usage.unknown(name, invocation.script()));
    }
    return new Result.Raw(Usage.of(command, invocation.script()));
  }

  private static Result beginning(Invocation invocation) {
    List<String> names =
        CommandRegistry.names(invocation.script()).stream()
            .filter(name -> name.startsWith(invocation.argument(0)))
            .sorted()
            .toList();
    return new Result.Value(
        names.stream().map(name -> Json.object("message", name)).toList(),
        String.join("\n", names));
  }

  private static Result completion(Invocation invocation) {
    return new Result.Raw(completion(invocation.script()));
  }

  /** Returns a script by which bash, and zsh with bashcompinit, complete commands and options. */
  static String completion(String script) {
    CommandSpec root = CommandSpec.create().name(script);
    CommandRegistry.groups(script).values().stream()
        .flatMap(List::stream)
        .forEach(command -> root.addSubcommand(command.name(), new CommandLine(command.spec())));
    return AutoComplete.bash(script, new CommandLine(root)).strip() + "\n\n" + names(script);
  }

  /** Kinds of names that the broker knows: the labels of arguments, and how they are listed. */
  private enum Named {
    QUEUE("queue", "-p \"$vhost\" list_queues name", "queue|queue_name"),
    VHOST("vhost", "list_vhosts name", "vhost"),
    USER("user", "list_users | cut -f1", "username"),
    POLICY("policy", "-p \"$vhost\" list_policies | cut -f2", ""),
    OPERATOR_POLICY("operator policy", "-p \"$vhost\" list_operator_policies | cut -f2", "");

    private final String kind;
    private final String list;
    private final String labels;

    /**
     * @param list the arguments that list them
     * @param labels those of commands' arguments, with bars between
     */
    Named(String kind, String list, String labels) {
      this.kind = kind;
      this.list = list;
      this.labels = labels;
    }

    boolean isTakenBy(Command command) {
      return switch (command.name()) {
        case "set_policy", "clear_policy" -> this == POLICY;
        case "set_operator_policy", "clear_operator_policy" -> this == OPERATOR_POLICY;
        case "explain_policy", "prove" -> this == QUEUE;
        default -> command.parameters().stream().limit(1).anyMatch(this::isLabel);
      };
    }

    private boolean isLabel(String parameter) {
      return parameter.matches("\\[?<(" + labels + ")>.*");
    }
  }

  /**
   * Completes names by asking the broker. They are compared and quoted here, as names may have any
   * characters, and {@code compgen} would carry out what is in them.
   */
  private static String names(String script) {
    StringBuilder commands = new StringBuilder();
    StringBuilder lists = new StringBuilder();
    for (Named named : Named.values()) {
      String taking =
          CommandRegistry.groups(script).values().stream()
              .flatMap(List::stream)
              .filter(named::isTakenBy)
              .map(Command::name)
              .distinct()
              .collect(Collectors.joining("|"));
      if (!taking.isEmpty()) {
        commands.append("      %s) kind='%s' ;;\n".formatted(taking, named.kind));
      }
      lists.append("    '%s') names=$(%s -s %s) ;;\n".formatted(named.kind, script, named.list));
    }
    return NAMES
        .replace("COMMANDS\n", commands)
        .replace("LISTS\n", lists)
        .replace("SCRIPT", script)
        .strip();
  }
}
