package io.mayflymq.server.ctl;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine.ParseResult;

/** A command with its arguments and options, as its action sees them. Used by one thread. */
public final class Invocation {
  /** The dots behind what is being done. */
  private static final Pattern UNDER_WAY = Pattern.compile(" ?\\.{3}\\s*$");

  private final Command command;
  private final Function<String, Command> commands;
  private final ParseResult parsed;
  private final Map<String, String> environment;
  private final InputStream in;
  private final PrintWriter out;
  private final OutputFormat format;
  private BufferedReader lines;
  private Endpoint endpoint;
  private Api api;
  private String node;

  /** With {@code --dry-run}, what the command would have said that it does. */
  private final List<String> held = new ArrayList<>();

  /**
   * A command that was called.
   *
   * @param commands finds other commands by their names
   */
  public Invocation(
      Command command,
      Function<String, Command> commands,
      ParseResult parsed,
      Map<String, String> environment,
      InputStream in,
      PrintWriter out) {
    this.command = command;
    this.commands = commands;
    this.parsed = parsed;
    this.environment = environment;
    this.in = in;
    this.out = out;
    String wanted = option(GlobalOptions.FORMATTER);
    this.format = wanted == null ? command.format() : OutputFormat.named(wanted);
  }

  // What was given

  public List<String> arguments() {
    return parsed.matchedPositionalValue(0, List.of());
  }

  public String argument(int index) {
    return arguments().get(index);
  }

  /** The value of an option, or null. */
  public String option(String name) {
    Object value = parsed.hasMatchedOption(name) ? parsed.matchedOptionValue(name, null) : null;
    return value == null ? null : value.toString();
  }

  /** Returns the values of an option that may be given several times. */
  List<String> options(String name) {
    return parsed.matchedOptionValue(name, List.of());
  }

  /** Returns the number that an option gives. */
  public long number(String name, long otherwise) {
    return parsed.matchedOptionValue(name, otherwise);
  }

  public boolean flag(String name) {
    return parsed.hasMatchedOption(name);
  }

  public String vhost() {
    String given = option(GlobalOptions.VHOST);
    return given == null ? "/" : given;
  }

  /** Returns whether nothing may change. */
  public boolean dryRun() {
    return flag(GlobalOptions.DRY_RUN);
  }

  public OutputFormat format() {
    return format;
  }

  boolean silent() {
    return flag(GlobalOptions.SILENT);
  }

  /** Returns whether only results are wanted, and nothing about what was done. */
  boolean hushed() {
    return flag(GlobalOptions.QUIET) || silent();
  }

  public boolean titled() {
    return !silent() && !flag(GlobalOptions.NO_HEADERS);
  }

  /** Returns how long an answer may take, in seconds. */
  public long timeoutSeconds() {
    return number(GlobalOptions.TIMEOUT, command.waitSeconds());
  }

  /** Returns the name of the command, for errors. */
  public String commandName() {
    return command.name();
  }

  /**
   * Returns whether the command itself has an option of this name, which then is about something
   * else.
   */
  public boolean hasOwn(String option) {
    return command.options().stream().anyMatch(own -> own.names().contains(option));
  }

  /** Returns how the commands are called: {@code mayflyctl}, or {@code rabbitmqctl}. */
  public String script() {
    String given = option(GlobalOptions.SCRIPT_NAME);
    return given == null ? GlobalOptions.DEFAULT_SCRIPT : given;
  }

  public Command command() {
    return command;
  }

  /** Returns the next line of standard input, or null at its end. */
  public String readLine() {
    try {
      if (lines == null) {
        lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      }
      return lines.readLine();
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns the rest of standard input. */
  byte[] readAll() throws IOException {
    return in.readAllBytes();
  }

  // What is said

  /**
   * Prints what the command is about to do, unless {@code --quiet} or a format for programs is
   * given. With {@code --dry-run} that is said at the end, as what would be done.
   */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a library of its own
  public void banner(String text, Object... arguments) {
    if (hushed() || format.isForMachines()) {
      return;
    }
    String said = arguments.length == 0 ? text : text.formatted(arguments);
    if (dryRun()) {
      held.add(said);
    } else {
      say(said);
    }
  }

  /** Says that nothing was changed, with {@code --dry-run} and a format for people. */
  public void announceDryRun() {
    if (dryRun() && !format.isForMachines()) {
      say("Dry run: nothing was changed");
    }
  }

  /**
   * Prints what was held back by {@code --dry-run}.
   *
   * @param changing whether the command changes something without it
   */
  public void reportHeld(boolean changing) {
    for (String text : held) {
      say(changing ? "Would be done: " + UNDER_WAY.matcher(text).replaceFirst("") : text);
    }
    held.clear();
  }

  /** Prints a line at once. */
  void say(String line) {
    out.println(line);
    out.flush();
  }

  /** Asks for something, at a terminal or not. */
  public void prompt(String text) {
    out.print(text);
    out.flush();
  }

  // The broker

  public Endpoint endpoint() {
    if (endpoint == null) {
      endpoint = Endpoint.find(this, environment);
    }
    return endpoint;
  }

  /** Returns the broker as it can be found now, which may have been started since. */
  Endpoint lookAgain() {
    return Endpoint.find(this, environment);
  }

  public Api api() {
    if (api == null) {
      api = new Api(endpoint(), this);
      requireNode();
    }
    return api;
  }

  /** Returns what the broker did not have, if that was its last answer; otherwise null. */
  public String missing() {
    return api == null ? null : api.missing();
  }

  /** Returns what the broker is called. */
  public String node() {
    if (node == null) {
      node = nameOfBroker();
      api();
    }
    return node;
  }

  private String nameOfBroker() {
    return endpoint().local()
        ? endpoint().node()
        : Api.text(api().get("overview?columns=node"), "node");
  }

  /** Scripts that mean another node must not change this one. */
  private void requireNode() {
    String given = option(GlobalOptions.NODE);
    if (given == null) {
      return;
    }
    String actual = nameOfBroker();
    if (!given.equals(actual) && !given.equals(actual.substring(0, actual.indexOf('@')))) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "there is no node '%s': the broker %s is '%s'"
              .formatted(given, endpoint().local() ? "here" : "at " + endpoint().url(), actual));
    }
  }

  /** Runs another command with the same options, for a report of several. */
  public Result run(String otherCommand) {
    return commands.apply(otherCommand).action().run(this);
  }
}
