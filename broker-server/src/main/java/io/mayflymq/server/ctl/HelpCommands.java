package io.mayflymq.server.ctl;

import io.mayflymq.server.ctl.client.ControlException;
import io.mayflymq.server.ctl.client.Sysexits;
import io.mayflymq.server.ctl.command.Command;
import io.mayflymq.server.ctl.command.Invocation;
import io.mayflymq.server.ctl.command.NodeCommands;
import io.mayflymq.server.ctl.format.OutputFormat;
import io.mayflymq.server.ctl.format.Result;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands that show help. */
final class HelpCommands {
  private HelpCommands() {}

  static List<Command> all() {
    return List.of(
        Command.named("help", "Displays usage information for a command")
            .mayTake("command")
            .does(HelpCommands::help),
        Command.named("version", "Displays CLI tools version")
            .shownAs(OutputFormat.STRING)
            .does(NodeCommands::version),
        Command.named("generate_completion", "Prints a script that completes commands and options")
            .noting(
                "For bash: source <(mayflyctl generate_completion). For zsh the same, after"
                    + " autoload -U +X bashcompinit && bashcompinit.")
            .does(HelpCommands::completion));
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

  private static Result completion(Invocation invocation) {
    return new Result.Raw(completion(invocation.script()));
  }

  /** Returns a script by which bash, and zsh with bashcompinit, complete commands and options. */
  static String completion(String script) {
    CommandSpec root = CommandSpec.create().name(script);
    CommandRegistry.groups(script).values().stream()
        .flatMap(List::stream)
        .forEach(command -> root.addSubcommand(command.name(), new CommandLine(command.spec())));
    return AutoComplete.bash(script, new CommandLine(root)).strip();
  }
}
