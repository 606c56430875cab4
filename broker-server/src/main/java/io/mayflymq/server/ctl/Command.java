package io.mayflymq.server.ctl;

import java.util.ArrayList;
import java.util.List;

/** A command: what it takes, what it is for and what it does. */
final class Command {
  /** Does what the command is for. */
  @FunctionalInterface
  interface Action {
    /**
     * Does it.
     *
     * @throws ControlException if it cannot be done
     * @throws ApiError if the broker refuses
     */
    Result run(Invocation invocation);
  }

  private static final int MANY = Integer.MAX_VALUE;

  private final String name;
  private final String description;
  private final List<Option> options = new ArrayList<>();
  private final List<String> parameters = new ArrayList<>();
  private int least;
  private int most;
  private boolean ofVhost;
  private String note;
  private OutputFormat format = OutputFormat.TABLE;
  private Action action;

  private Command(String name, String description) {
    this.name = name;
    this.description = description;
  }

  static Command named(String name, String description) {
    return new Command(name, description);
  }

  /** Adds arguments that must be given. */
  Command takes(String... labels) {
    for (String label : labels) {
      parameters.add("<" + label + ">");
      least++;
      most++;
    }
    return this;
  }

  /** Adds an argument that may be left away. */
  Command mayTake(String label) {
    parameters.add("[<" + label + ">]");
    most++;
    return this;
  }

  /** Adds any number of arguments. */
  Command takesMany(String label) {
    parameters.add("[<" + label + "> ...]");
    most = MANY;
    return this;
  }

  /** It is about one virtual host. */
  Command inVhost() {
    ofVhost = true;
    return this;
  }

  Command option(Option option) {
    options.add(option);
    return this;
  }

  /** A paragraph for its help. */
  Command noting(String text) {
    note = text;
    return this;
  }

  /** How it shows what it found, unless told otherwise. */
  Command shownAs(OutputFormat otherwise) {
    format = otherwise;
    return this;
  }

  Command does(Action what) {
    action = what;
    return this;
  }

  String name() {
    return name;
  }

  String description() {
    return description;
  }

  String note() {
    return note;
  }

  List<Option> options() {
    return options;
  }

  List<String> parameters() {
    return parameters;
  }

  boolean ofVhost() {
    return ofVhost;
  }

  OutputFormat format() {
    return format;
  }

  Action action() {
    return action;
  }

  /** What stands behind {@code mayflyctl} and the options of every command. */
  String synopsis() {
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
  void checkCount(int count) {
    if (count < least) {
      throw ControlException.usage("not enough arguments.");
    }
    if (count > most) {
      throw ControlException.usage("too many arguments.");
    }
  }
}
