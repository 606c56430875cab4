package io.mayflymq.server.ctl;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What the control command says of itself, for manual pages and completion. */
public final class ControlManual {
  /** The name of the control command. */
  public static final String SCRIPT = GlobalOptions.DEFAULT_SCRIPT;

  /**
   * An option or a parameter.
   *
   * @param names of the option with their dashes, or the one of the parameter
   * @param name the same with the label of its value
   * @param hasValue whether a value follows
   */
  public record Term(List<String> names, String name, boolean hasValue, String meaning) {}

  /**
   * A command.
   *
   * @param terms its parameters and its options
   * @param options its options alone
   */
  public record Entry(
      String name,
      String synopsis,
      String description,
      Optional<String> note,
      List<Term> terms,
      List<Term> options) {}

  private ControlManual() {}

  /** Returns the options of every command. */
  public static List<Term> generalOptions() {
    return GlobalOptions.ALL.stream().map(ControlManual::term).toList();
  }

  /** Returns all commands under the titles of their groups. */
  public static Map<String, List<Entry>> commands() {
    Map<String, List<Entry>> groups = new LinkedHashMap<>();
    CommandRegistry.groups(SCRIPT)
        .forEach(
            (title, commands) ->
                groups.put(title, commands.stream().map(ControlManual::entry).toList()));
    return groups;
  }

  /** Returns a script by which bash, and zsh with bashcompinit, complete commands and options. */
  public static String bashCompletion() {
    return HelpCommands.completion(SCRIPT) + "\n";
  }

  private static Entry entry(Command command) {
    List<Term> options = command.options().stream().map(ControlManual::term).toList();
    Stream<Term> parameters =
        command.parameters().stream()
            .distinct()
            .map(
                parameter ->
                    new Term(List.of(parameter), parameter, false, ParameterHelp.of(parameter)));
    return new Entry(
        command.name(),
        command.synopsis(),
        command.description(),
        Optional.ofNullable(command.note()),
        Stream.concat(parameters, options.stream()).toList(),
        options);
  }

  private static Term term(Option option) {
    String names = String.join(", ", option.names());
    return new Term(
        option.names(),
        option.label() == null ? names : names + " " + option.label(),
        option.label() != null,
        option.description());
  }
}
