package io.mayflymq.server.ctl;

import io.mayflymq.core.policy.MaxAge;
import io.mayflymq.core.queue.RemovalReason;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Bringing messages back that have left a queue. */
final class Restorations {
  private static final String SINCE = "--since";
  private static final String TO = "--to";
  private static final String REASON = "--reason";
  private static final String LEAVE_EXPIRED = "--leave-expired";
  private static final String TIME = "<time>";
  private static final String TIMES =
      "A time is 10:42, 2026-11-29T10:42, either with seconds, or how long ago it is: 90s, 15m, 2h,"
          + " 1D.";

  private Restorations() {}

  static Command undoPurge() {
    return Command.named("undo_purge", "Brings the messages back that a purge has removed")
        .inVhost()
        .arguments("queue")
        .option(Option.text(TIME, "only those that were purged at this time or later", SINCE))
        .option(leaveExpired())
        .noting("The queue needs the policy key recoverable before the purge. " + TIMES)
        .shownAs(OutputFormat.STRING)
        .forecasting()
        .action(
            invocation ->
                restore(
                    invocation, invocation.option(SINCE), List.of("purged"), "what was purged"));
  }

  static Command rewind() {
    return Command.named(
            "rewind_queue", "Brings the messages back that have left a queue since some time")
        .inVhost()
        .arguments("queue")
        .option(Option.text(TIME, "those that have left at this time or later (all)", TO))
        .option(
            Option.texts(
                    "<reason>",
                    "only those that have left for this reason; may be given several times, or"
                        + " several with commas in between",
                    REASON)
                .suggesting(
                    Arrays.stream(RemovalReason.values())
                        .map(RemovalReason::word)
                        .distinct()
                        .toList()))
        .option(leaveExpired())
        .noting("The queue needs the policy key recoverable before they leave. " + TIMES)
        .shownAs(OutputFormat.STRING)
        .forecasting()
        .action(
            invocation ->
                restore(invocation, invocation.option(TO), reasons(invocation), "what has left"));
  }

  private static Option leaveExpired() {
    return Option.flag(
        "leaves those whose time is over; without it they begin it anew, at the end of the queue",
        LEAVE_EXPIRED);
  }

  private static List<String> reasons(Invocation invocation) {
    List<String> reasons = new ArrayList<>();
    for (String given : invocation.options(REASON)) {
      reasons.addAll(List.of(given.split(",")));
    }
    return reasons;
  }

  private static Result restore(
      Invocation invocation, String since, List<String> reasons, String what) {
    String queue = invocation.argument(0);
    invocation.banner(
        "Bringing back %s of queue '%s' in vhost '%s' ...", what, queue, invocation.vhost());
    Map<String, Object> body = new LinkedHashMap<>();
    if (since != null) {
      body.put("since", time(since, ZonedDateTime.now(ZoneId.systemDefault())));
    }
    if (!reasons.isEmpty()) {
      body.put("reasons", reasons);
    }
    body.put("expired", invocation.flag(LEAVE_EXPIRED) ? "leave" : "renew");
    String path = Api.path("queues", invocation.vhost(), queue, "restore");
    Map<String, Object> report;
    try {
      report =
          Api.object(invocation.api().post(invocation.dryRun() ? path + "/dry-run" : path, body));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
    return new Result.Value(report, text(report, invocation.dryRun()));
  }

  private static String text(Map<String, Object> report, boolean forecast) {
    List<String> lines = new ArrayList<>();
    lines.add(
        forecast
            ? "would be restored: " + report.get("would_be_restored")
            : "restored: " + report.get("restored"));
    Api.object(report.get("reasons"))
        .forEach((reason, count) -> lines.add("  " + reason + ": " + count));
    addIfAny(lines, "left, as their time is over: ", report.get("expired"));
    addIfAny(lines, "left, as they cannot be read: ", report.get("unreadable"));
    return String.join("\n", lines);
  }

  /** Adds a line, unless it counts nothing. */
  static void addIfAny(List<String> lines, String what, Object count) {
    if (!Long.valueOf(0).equals(count)) {
      lines.add(what + count);
    }
  }

  /** Returns a time in ms since the epoch. A time of day that is to come was yesterday's. */
  static long time(String given, ZonedDateTime now) {
    OptionalLong ago = MaxAge.millis(given);
    if (ago.isPresent()) {
      return Math.max(0, now.toInstant().toEpochMilli() - ago.getAsLong());
    }
    try {
      if (given.endsWith("Z")) {
        return Instant.parse(given).toEpochMilli();
      }
      if (given.contains("T")) {
        return LocalDateTime.parse(given).atZone(now.getZone()).toInstant().toEpochMilli();
      }
      ZonedDateTime today = now.with(LocalTime.parse(given));
      return (today.isAfter(now) ? today.minusDays(1) : today).toInstant().toEpochMilli();
    } catch (DateTimeException e) {
      throw ControlException.usage(
          "Bad argument: time '%s' should be as in 10:42, 2026-11-29T10:42, 2026-11-29T10:42:00Z,"
                  .formatted(given)
              + " or how long ago it is, as in 15m");
    }
  }
}
