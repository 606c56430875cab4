package io.mayflymq.server.ctl;

import io.mayflymq.core.naming.NearestName;
import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The control tool: finds the command in the arguments, parses the rest, runs it, and writes the
 * result or the error.
 *
 * <p>Options may stand before the command and before, between and after its arguments, as with
 * RabbitMQ. So the command is found first, and all other arguments are parsed with the options of
 * this command. Only this command is built, as building a hundred would take longer than running
 * one.
 */
public final class ControlTool {
  private final Map<String, String> environment;
  private final InputStream in;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * @param environment of the process
   * @param in read by commands that are not given a password or definitions
   * @param out for results
   * @param err for errors
   */
  public ControlTool(
      Map<String, String> environment, InputStream in, PrintWriter out, PrintWriter err) {
    this.environment = environment;
    this.in = in;
    this.out = out;
    this.err = err;
  }

  /** Does what the arguments say and returns the exit code of the process. */
  public int execute(List<String> arguments) {
    int at = commandIndex(arguments);
    if (at < 0 && arguments.contains(GlobalOptions.VERSION)) {
      out.println(BuildInfo.version());
      out.flush();
      return Sysexits.OK;
    }
    if (at < 0) {
      boolean asked = arguments.contains(GlobalOptions.HELP);
      (asked ? out : err).println(Usage.ofAll(script(arguments)));
      return asked ? Sysexits.OK : Sysexits.USAGE;
    }
    Command command = CommandRegistry.find(arguments.get(at), script(arguments));
    if (command == null) {
      err.println(Usage.unknown(arguments.get(at), script(arguments)));
      return Sysexits.USAGE;
    }
    List<String> rest = new ArrayList<>(arguments);
    rest.remove(at);
    try {
      return run(command, parse(command, rest));
    } catch (ApiError e) {
      return fail(ControlException.error(Sysexits.UNAVAILABLE, e.getMessage()), command, arguments);
    } catch (ControlException e) {
      return fail(e, command, arguments);
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static int commandIndex(List<String> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      if (!arguments.get(i).startsWith("-")) {
        return i;
      }
      if (GlobalOptions.takesNext(arguments.get(i))) {
        i++;
      }
    }
    return -1;
  }

  private static String script(List<String> arguments) {
    int option = arguments.lastIndexOf(GlobalOptions.SCRIPT_NAME);
    return option >= 0 && option + 1 < arguments.size()
        ? arguments.get(option + 1)
        : GlobalOptions.DEFAULT_SCRIPT;
  }

  // Reading arguments

  private static ParseResult parse(Command command, List<String> arguments) {
    try {
      return new CommandLine(command.spec())
          .setExpandAtFiles(false)
          .setInterpolateVariables(false)
          .setOverwrittenOptionsAllowed(true)
          .parseArgs(arguments.toArray(String[]::new));
    } catch (UnmatchedArgumentException e) {
      List<String> known =
          e.getCommandLine().getCommandSpec().options().stream()
              .flatMap(option -> Stream.of(option.names()))
              .toList();
      throw invalid(
          e.getUnmatched().stream()
              .map(
                  name ->
                      NearestName.of(name.split("=", 2)[0], known)
                          .map(near -> "%s : did you mean %s?".formatted(name, near))
                          .orElse(name + " : ")));
    } catch (ParameterException e) {
      if (e.getArgSpec() instanceof OptionSpec option) {
        String value = e.getValue() == null ? "" : e.getValue();
        Stream<String> problem = Stream.of(option.longestName() + " : " + value);
        throw invalid(
            option.type() == Long.class
                ? Stream.concat(problem, Stream.of("expected a whole number"))
                : problem);
      }
      throw ControlException.usage(e.getMessage());
    }
  }

  private static ControlException invalid(Stream<String> options) {
    return ControlException.usage(
        options.collect(Collectors.joining("\n", "Invalid options for this command:\n", "")));
  }

  // Running

  private int run(Command command, ParseResult parsed) {
    Invocation invocation =
        new Invocation(
            command,
            name -> CommandRegistry.find(name, GlobalOptions.DEFAULT_SCRIPT),
            parsed,
            environment,
            in,
            out);
    if (invocation.flag(GlobalOptions.VERSION)) {
      out.println(BuildInfo.version());
      return Sysexits.OK;
    }
    if (invocation.flag(GlobalOptions.HELP)) {
      out.println(Usage.of(command, invocation.script()));
      return Sysexits.OK;
    }
    command.checkCount(invocation.arguments().size());
    long seconds = invocation.number(Command.WATCH, 0);
    if (seconds < 0) {
      throw ControlException.usage(
          "%s %d: expected a number of seconds from 1 on".formatted(Command.WATCH, seconds));
    }
    long times = seconds == 0 ? 1 : invocation.number(Command.TIMES, Long.MAX_VALUE);
    for (long i = 0; i < times && (i == 0 || waited(seconds)); i++) {
      if (i > 0 && !invocation.format().isForMachines()) {
        out.println();
      }
      show(invocation, text(invocation, run(invocation)));
    }
    return Sysexits.OK;
  }

  private void show(Invocation invocation, String text) {
    String file = invocation.option(GlobalOptions.FILE);
    if (file != null) {
      write(Path.of(file), text);
    } else if (!text.isEmpty()) {
      out.println(text);
      out.flush();
    }
  }

  /** Waits, and returns whether that was not interrupted. */
  private static boolean waited(long seconds) {
    try {
      TimeUnit.SECONDS.sleep(seconds);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Result run(Invocation invocation) {
    invocation.announceDryRun();
    Result result;
    try {
      result = invocation.command().action().run(invocation);
    } catch (NothingChangesException e) {
      result = Result.DONE;
    } catch (ControlException e) {
      throw e.explainedBy(invocation.missing());
    }
    invocation.reportHeld(result instanceof Result.Done || invocation.command().forecasts());
    return result;
  }

  private static String text(Invocation invocation, Result result) {
    if (result instanceof Result.Rows rows) {
      return invocation.format().rows(rows, invocation.titled());
    }
    if (result instanceof Result.Value value) {
      return invocation.format().value(value);
    }
    if (result instanceof Result.Raw raw) {
      return raw.text();
    }
    String message = ((Result.Done) result).message();
    if (invocation.format() == OutputFormat.JSON
        || invocation.format() == OutputFormat.JSON_STREAM) {
      Map<String, Object> done = Json.object("node", invocation.node(), "result", "ok");
      if (invocation.dryRun()) {
        done.put("dry_run", true);
      }
      if (message != null) {
        done.put("message", message);
      }
      return JsonWriter.text(done);
    }
    return message == null ? "" : message;
  }

  private static void write(Path file, String text) {
    try {
      OwnerFiles.write(file, (text.isEmpty() ? "" : text + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw ControlException.error(
          Sysexits.DATA,
          "cannot write %s: %s".formatted(file.toAbsolutePath(), e.getClass().getSimpleName()));
    }
  }

  private int fail(ControlException e, Command command, List<String> arguments) {
    out.flush();
    err.println(e.getMessage());
    if (e.showsUsage()) {
      err.println("Arguments given:\n\t" + String.join(" ", given(arguments)) + "\n");
      err.println(Usage.synopsis(command, script(arguments)));
    }
    return e.exitCode();
  }

  /**
   * Returns what the user typed, without what says which broker is meant: a password stays unseen.
   */
  private static List<String> given(List<String> arguments) {
    List<String> given = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (GlobalOptions.ADDRESS.contains(argument)) {
        i++;
      } else if (GlobalOptions.ADDRESS.stream().noneMatch(at -> argument.startsWith(at + "="))) {
        given.add(argument);
      }
    }
    return given;
  }
}
