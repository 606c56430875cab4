package io.mayflymq.server.ctl;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Commands for a broker that is the standby of another one. */
final class StandbyCommands {
  private static final String STANDBY = "standby";
  private static final String FORCE = "--force";

  private StandbyCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("standby_status", "Tells how far a standby has come, and what it may lack")
            .shownAs(OutputFormat.STRING)
            .action(StandbyCommands::status),
        Command.named("promote", "Makes a standby the first: it takes clients, and follows no more")
            .option(
                Option.flag(
                    "although the primary still answers, or nothing was copied completely", FORCE))
            .noting(
                "The copies are moved to their queues. If that is interrupted, it goes on when the"
                    + " broker starts again. Remove the keys standby.primary from the configuration"
                    + " afterwards.")
            .shownAs(OutputFormat.STRING)
            .action(StandbyCommands::promote));
  }

  private static Result status(Invocation invocation) {
    invocation.banner("Asking for the state of the standby ...");
    Map<String, Object> status = Api.object(invocation.api().get(STANDBY));
    return new Result.Value(status, text(status));
  }

  private static String text(Map<String, Object> status) {
    Object state = status.get("state");
    if ("none".equals(state)) {
      return "this broker is no standby: key 'standby.primary.uri' is not set\n";
    }
    StringBuilder text = new StringBuilder("state: ").append(state).append('\n');
    text.append("primary: ")
        .append(
            String.join(
                ", ", ((List<?>) status.get("primaries")).stream().map(String::valueOf).toList()))
        .append('\n');
    line(text, "follows since", time(status.get("since")));
    line(text, "last complete round", time(status.get("last_complete_round")));
    if (status.get("lag_seconds") instanceof Number lag) {
      text.append(String.format(Locale.ROOT, "behind by: %.1f s, ", lag.doubleValue()))
          .append(status.get("lag_messages"))
          .append(" messages\n");
    } else {
      text.append("behind by: all, as nothing was copied completely yet\n");
    }
    text.append(
        "copies: %s messages, about %s bytes%n"
            .formatted(status.get("messages"), status.get("bytes")));
    if (status.get("last_failure") != null) {
      text.append(
          "last failure: %s, %s%n"
              .formatted(time(status.get("last_failure_at")), status.get("last_failure")));
    }
    if (!"following".equals(state)) {
      text.append("moved to their queues: %s messages%n".formatted(status.get("moved_messages")));
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String what, String value) {
    text.append(what).append(": ").append(value).append('\n');
  }

  private static String time(Object millis) {
    return millis instanceof Number at ? Instant.ofEpochMilli(at.longValue()).toString() : "never";
  }

  private static Result promote(Invocation invocation) {
    invocation.banner("Making this broker the first ...");
    Map<String, Object> status =
        Api.object(invocation.api().post(STANDBY, Map.of("force", invocation.flag(FORCE))));
    Object failures = status.get("failed_rounds");
    while ("promoting".equals(status.get("state"))) {
      if (!String.valueOf(failures).equals(String.valueOf(status.get("failed_rounds")))) {
        throw ControlException.error(Sysexits.SOFTWARE, String.valueOf(status.get("last_failure")));
      }
      LookingAgain.pause();
      status = Api.object(invocation.api().get(STANDBY));
    }
    String text =
        ("This broker is the first now, with %s messages of the primary. Remove the keys"
                + " standby.primary from its configuration.%n")
            .formatted(status.get("moved_messages"));
    return new Result.Value(status, text);
  }
}
