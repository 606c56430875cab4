package io.mayflymq.server.ctl;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A command: its arguments and options, its description and its action. */
public final class Command {
  /** The action of a command. */
  @FunctionalInterface
  public interface Action {
    /**
     * Does it.
     *
     * @throws ControlException if it cannot be done
     * @throws ApiError if the broker refuses
     */
    Result run(Invocation invocation);
  }

  /** The option that shows the result again and again, every so many seconds. */
  public static final String WATCH = "--watch";

  /** The option that says how often. */
  public static final String TIMES = "--times";

  private static final int MANY = Integer.MAX_VALUE;

  private final String name;
  private final String description;
  private final List<Option> options = new ArrayList<>();
  private final List<String> parameters = new ArrayList<>();
  private int least;
  private int most;
  private boolean ofVhost;
  private Supplier<String> note = () -> null;
  private OutputFormat format = OutputFormat.TABLE;
  private Action action;
  private long waitSeconds = 60;
  private boolean forecasts;
  private Iterable<String> suggested = List.of();

  private Command(String name, String description) {
    this.name = name;
    this.description = description;
  }

  public static Command named(String name, String description) {
    return new Command(name, description);
  }

  /** Adds arguments that must be given. */
  public Command arguments(String... labels) {
    for (String label : labels) {
      parameters.add("<" + label + ">");
      least++;
      most++;
    }
    return this;
  }

  /** Adds an argument that may be left away. */
  public Command optionalArgument(String label) {
    parameters.add("[<" + label + ">]");
    most++;
    return this;
  }

  /** Adds any number of arguments. */
  public Command takesMany(String label) {
    parameters.add("[<" + label + "> ...]");
    most = MANY;
    return this;
  }

  /** Has completion suggest these arguments. */
  public Command suggesting(List<String> values) {
    suggested = values;
    return this;
  }

  /** Adds any number of columns, which help and completion name: they ask for them only then. */
  public Command takesColumns(Supplier<Columns> columns) {
    takesMany("column");
    suggested = () -> columns.get().names().iterator();
    note = () -> columns.get().note();
    return this;
  }

  /** Adds the option for the virtual host. */
  public Command inVhost() {
    ofVhost = true;
    return this;
  }

  public Command option(Option option) {
    options.add(option);
    return this;
  }

  /** Adds a paragraph to its help. */
  public Command noting(String text) {
    note = () -> text;
    return this;
  }

  /** Sets its default output format. */
  public Command shownAs(OutputFormat otherwise) {
    format = otherwise;
    return this;
  }

  /** Has its help say that {@code --dry-run} tells what would happen. */
  public Command forecasting() {
    forecasts = true;
    return this;
  }

  /** Returns whether {@code --dry-run} tells what would happen. */
  public boolean forecasts() {
    return forecasts;
  }

  /** Sets how long it waits for the broker if the user does not say, in seconds. */
  public Command waits(long seconds) {
    waitSeconds = seconds;
    return this;
  }

  long waitSeconds() {
    return waitSeconds;
  }

  public Command action(Action what) {
    action = what;
    return this;
  }

  public String name() {
    return name;
  }

  public String description() {
    return description;
  }

  public String note() {
    return note.get();
  }

  public List<Option> options() {
    return options;
  }

  public List<String> parameters() {
    return parameters;
  }

  public boolean ofVhost() {
    return ofVhost;
  }

  OutputFormat format() {
    return format;
  }

  public Action action() {
    return action;
  }

  /** Returns what stands behind {@code mayflyctl} and the options of every command. */
  public String synopsis() {
    StringBuilder text = new StringBuilder(name);
    if (ofVhost) {
      text.append(" [--vhost <vhost>]");
    }
    options.forEach(option -> text.append(' ').append(option.synopsis()));
    parameters.forEach(parameter -> text.append(' ').append(parameter));
    return text.toString();
  }

  /**
   * Checks how many arguments there are.
   *
   * @throws ControlException if too many, or not enough
   */
  public void checkCount(int count) {
    if (count < least) {
      throw ControlException.usage("not enough arguments.");
    }
    if (count > most) {
      throw ControlException.usage("too many arguments.");
    }
  }

  /** Returns the command as picocli knows it, with its options and those of every */
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage().description(description);
    Set<String> own = new HashSet<>();
    for (Option option : options) {
      spec.addOption(option.spec());
      own.addAll(option.names());
    }
    for (Option option : GlobalOptions.ALL) {
      if (option.names().stream().noneMatch(own::contains)) {
        spec.addOption(option.spec());
      }
    }
    return spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .completionCandidates(suggested)
            .build());
  }
}
