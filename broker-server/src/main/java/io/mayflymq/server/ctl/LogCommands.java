package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Commands about the log of the running broker. */
final class LogCommands {
  private static final List<String> LEVELS =
      List.of("debug", "info", "warning", "error", "critical", "none");
  private static final List<String> CATEGORIES =
      List.of("default", "connection", "channel", "queue", "storage", "management", "audit");
  private static final String NUMBER = "--number";
  private static final String DURATION = "--duration";
  private static final int USUAL_LINES = 50;
  private static final long POLL_MILLIS = 250;

  private LogCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("set_log_level", "Sets log level in the running node")
            .arguments("log_level")
            .optionalArgument("level")
            .noting(
                "<log_level>, or: <category> <level>. The levels are %s. The categories are %s."
                    .formatted(String.join(", ", LEVELS), String.join(", ", CATEGORIES)))
            .action(LogCommands::setLevel),
        Command.named("rotate_logs", "Begins a new log file").action(LogCommands::rotate),
        Command.named("log_location", "Shows where the log goes")
            .option(Option.flag("all places, not only the first file", "--all", "-a"))
            .action(LogCommands::location),
        Command.named("log_tail", "Prints the last lines of the log")
            .option(Option.number("<lines>", "how many, 50 by default", NUMBER, "-N"))
            .shownAs(OutputFormat.STRING)
            .action(LogCommands::tail),
        Command.named("log_tail_stream", "Prints lines of the log as they are written")
            .option(
                Option.number(
                    "<seconds>", "for how long; without it until interrupted", DURATION, "-d"))
            .shownAs(OutputFormat.STRING)
            .action(LogCommands::stream));
  }

  private static Result setLevel(Invocation invocation) {
    boolean ofCategory = invocation.arguments().size() == 2;
    String level = invocation.argument(ofCategory ? 1 : 0);
    if (!LEVELS.contains(level)) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "level %s is not supported. Try one of %s".formatted(level, String.join(", ", LEVELS)));
    }
    if (!ofCategory) {
      invocation.banner("Setting log level to \"%s\" ...", level);
      invocation.api().control("PUT", "log-level", Json.object("level", level));
      return Result.DONE;
    }
    String category = invocation.argument(0);
    if (!CATEGORIES.contains(category)) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "category %s is not supported. Try one of %s"
              .formatted(category, String.join(", ", CATEGORIES)));
    }
    invocation.banner("Setting log level for category \"%s\" to \"%s\" ...", category, level);
    invocation.api().control("PUT", "log-level", Json.object("level", level, "category", category));
    return Result.DONE;
  }

  private static Result rotate(Invocation invocation) {
    invocation.banner("Rotating logs of node %s ...", invocation.node());
    Map<String, Object> answer = Api.object(invocation.api().control("POST", "rotate-logs", null));
    if (!Boolean.TRUE.equals(answer.get("rotated"))) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE, "the broker logs to its console only: there is no log file");
    }
    return Result.DONE;
  }

  private static Result location(Invocation invocation) {
    List<?> files =
        (List<?>)
            Api.object(invocation.api().get(Api.path("nodes", invocation.node()))).get("log_files");
    boolean all = invocation.flag("--all");
    List<String> paths =
        files.stream()
            .map(String::valueOf)
            // The file comes last, behind standard output.
            .skip(all ? 0 : files.size() - 1)
            .toList();
    return new Result.Value(
        Json.object("result", "ok", "node_name", invocation.node(), "paths", paths),
        String.join("\n", paths));
  }

  private static Result tail(Invocation invocation) {
    Map<String, Object> answer = lines(invocation, "lines=" + number(invocation));
    return new Result.Raw(
        ((List<?>) answer.get("lines"))
            .stream().map(String::valueOf).collect(Collectors.joining("\n")));
  }

  private static long number(Invocation invocation) {
    return invocation.number(NUMBER, USUAL_LINES);
  }

  private static Result stream(Invocation invocation) {
    long seconds = invocation.number(DURATION, Integer.MAX_VALUE);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    Map<String, Object> seen = lines(invocation, "lines=0");
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
      seen = lines(invocation, "after=" + ((Number) seen.get("count")).longValue());
      ((List<?>) seen.get("lines")).forEach(line -> invocation.say(String.valueOf(line)));
    }
    return new Result.Raw("");
  }

  private static Map<String, Object> lines(Invocation invocation, String query) {
    return Api.object(invocation.api().control("GET", "log?" + query, null));
  }
}
