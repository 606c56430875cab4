package io.mayflymq.server.ctl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Sending the messages of a dead letter queue back. */
final class Redrives {
  private static final Set<String> OVER = Set.of("done", "stopped", "failed");

  /** What a dry run does not know. */
  static final String ROOM = "A queue that is full, or becomes so, may refuse some of them";

  private Redrives() {}

  static Command redrive() {
    return Command.named(
            "redrive_queue", "Sends the messages of a dead letter queue back to where they died")
        .inVhost()
        .arguments("queue")
        .option(
            Option.flag(
                "to the exchange and by the routing keys that they were published with",
                "--to-original"))
        .option(Option.text("<queue>", "to this queue", "--to"))
        .option(
            Option.texts(
                "<key>=<value>",
                "only those that died last for this reason, in this queue, or have this message_id;"
                    + " may be given several times",
                "--filter"))
        .option(Option.number("<n>", "no more than so many", "--limit"))
        .option(Option.number("<n>", "no more than so many per second", "--rate"))
        .option(Option.flag("leaves the headers that tell of their deaths", "--keep-deaths"))
        .option(Option.flag("does not wait until it is done", "--no-wait"))
        .noting(
            "It goes on in the broker if this command is interrupted: see redrive_status and"
                + " stop_redrive. With --dry-run nothing is moved, only counted.")
        .shownAs(OutputFormat.STRING)
        .forecasting()
        .action(Redrives::redrive);
  }

  static Command status() {
    return Command.named("redrive_status", "Tells how far the redrive of a queue has come")
        .inVhost()
        .arguments("queue")
        .shownAs(OutputFormat.STRING)
        .action(
            invocation ->
                result(
                    onQueue(invocation, path -> invocation.api().get(path), "was never redriven")));
  }

  static Command stop() {
    return Command.named("stop_redrive", "Stops the redrive of a queue")
        .inVhost()
        .arguments("queue")
        .shownAs(OutputFormat.STRING)
        .action(
            invocation ->
                result(
                    onQueue(
                        invocation, path -> invocation.api().delete(path), "was never redriven")));
  }

  private static Result redrive(Invocation invocation) {
    invocation.banner(
        "Redriving queue '%s' in vhost '%s' ...", invocation.argument(0), invocation.vhost());
    Map<String, Object> body = body(invocation);
    String suffix = invocation.dryRun() ? "/dry-run" : "";
    Map<String, Object> report =
        onQueue(invocation, path -> invocation.api().post(path + suffix, body), "does not exist");
    if (!invocation.flag("--no-wait")) {
      report = awaited(invocation, report);
    }
    if ("failed".equals(report.get("state"))) {
      throw ControlException.error(Sysexits.UNAVAILABLE, text(report));
    }
    return invocation.dryRun() ? new Result.Value(report, forecast(report)) : result(report);
  }

  private static String forecast(Map<String, Object> report) {
    List<String> lines = new ArrayList<>();
    lines.add("would be moved: " + report.get("moved"));
    counts(report.get("moved_to"), lines);
    lines.add("would be skipped: " + report.get("skipped"));
    counts(report.get("skipped_because"), lines);
    if (ControlValues.number(report, "moved") > 0) {
      lines.add(ROOM);
    }
    return String.join("\n", lines);
  }

  private static void counts(Object counts, List<String> lines) {
    Api.object(counts).forEach((name, count) -> lines.add("  " + name + ": " + count));
  }

  private static Map<String, Object> body(Invocation invocation) {
    Map<String, Object> body = new LinkedHashMap<>();
    if (invocation.option("--to") != null) {
      body.put("to", invocation.option("--to"));
    }
    body.put("to_original", invocation.flag("--to-original"));
    body.put("keep_deaths", invocation.flag("--keep-deaths"));
    for (String number : List.of("--limit", "--rate")) {
      if (invocation.option(number) != null) {
        body.put(number.substring(2), invocation.number(number, 0));
      }
    }
    Map<String, Object> filter = new LinkedHashMap<>();
    for (String given : invocation.options("--filter")) {
      int equals = given.indexOf('=');
      if (equals < 1) {
        throw ControlException.usage(
            "Bad argument: filter '%s' should be key=value".formatted(given));
      }
      filter.put(given.substring(0, equals), given.substring(equals + 1));
    }
    body.put("filter", filter);
    return body;
  }

  /** A request about the queue that the command names. */
  private interface Call {
    Object to(String path);
  }

  private static Map<String, Object> onQueue(Invocation invocation, Call call, String otherwise) {
    String queue = invocation.argument(0);
    try {
      return Api.object(call.to(Api.path("queues", invocation.vhost(), queue, "redrive")));
    } catch (ApiError e) {
      if (!e.isNotFound()) {
        throw e;
      }
      throw invocation.api().hasVhost(invocation.vhost())
          ? ControlException.error(
              Sysexits.DATA,
              "Queue '%s' in vhost '%s' %s".formatted(queue, invocation.vhost(), otherwise))
          : ControlException.noSuchVhost(invocation.vhost());
    }
  }

  /**
   * Waits for the end of the redrive, at most for the time of the option; returns its last state.
   */
  private static Map<String, Object> awaited(Invocation invocation, Map<String, Object> begun) {
    long patience =
        invocation.option(GlobalOptions.TIMEOUT) == null
            ? Long.MAX_VALUE
            : TimeUnit.SECONDS.toNanos(invocation.timeoutSeconds());
    long start = System.nanoTime();
    Map<String, Object> report = begun;
    while (!OVER.contains(report.get("state")) && System.nanoTime() - start < patience) {
      LookingAgain.pause();
      report = onQueue(invocation, path -> invocation.api().get(path), "was deleted meanwhile");
    }
    return report;
  }

  private static Result result(Map<String, Object> report) {
    return new Result.Value(report, text(report));
  }

  private static String text(Map<String, Object> report) {
    List<String> lines = new ArrayList<>();
    Object reason = report.get("reason");
    lines.add("state: " + report.get("state") + (reason == null ? "" : " (" + reason + ")"));
    lines.add("moved: " + report.get("moved"));
    counts(report.get("moved_to"), lines);
    lines.add("skipped: " + report.get("skipped"));
    counts(report.get("skipped_because"), lines);
    return String.join("\n", lines);
  }
}
