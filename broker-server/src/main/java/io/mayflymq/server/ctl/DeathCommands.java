package io.mayflymq.server.ctl;

import io.mayflymq.core.deathjournal.DeathRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Commands about messages that were dropped or dead-lettered. */
final class DeathCommands {
  private static final long USUAL_LIMIT = 100;

  private static final Columns DEATHS =
      Columns.of()
          .with("time", death -> ControlValues.time(death.get("time")), "time")
          .with("vhost")
          .with("queue")
          .with("message_id")
          .with("exchange")
          .with("routing_key")
          .with("reason")
          .with("decided_by")
          .with("by")
          .with("deadline", death -> ControlValues.time(death.get("deadline")), "deadline")
          .with("lateness_ms")
          .with("fate")
          .with("dead_letter_exchange")
          .with("dead_letter_routing_keys")
          .with("dead_letter_queues");

  private DeathCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("list_deaths", "Lists how messages died, the last one first")
            .inVhost()
            .optionalArgument("queue")
            .option(Option.text("<queue>", "only those that died in this queue", "--queue"))
            .option(
                Option.text("<reason>", "only those that died for it, such as expired", "--reason")
                    .suggesting(DeathRecord.REASONS))
            .option(Option.text("<id>", "only the message with this message-id", "--message-id"))
            .option(Option.number("<n>", "no more than so many (100)", "--limit"))
            .takesMany("column")
            .suggesting(DEATHS.names())
            .noting(
                "If the first argument is not a column it is a queue: then it is told how far back"
                    + " the journal reaches. "
                    + DEATHS.note())
            .action(DeathCommands::deaths),
        Redrives.redrive(),
        Redrives.status(),
        Redrives.stop());
  }

  private static Result deaths(Invocation invocation) {
    List<String> arguments = invocation.arguments();
    String named = arguments.isEmpty() || isColumns(arguments.get(0)) ? null : arguments.get(0);
    Columns columns =
        DEATHS.chosen(
            named == null ? arguments : arguments.subList(1, arguments.size()),
            "time",
            "queue",
            "message_id",
            "reason",
            "decided_by",
            "lateness_ms",
            "fate",
            "dead_letter_queues");
    StringBuilder query = new StringBuilder(columns.query());
    add(query, "queue", invocation.option("--queue"));
    add(query, "reason", invocation.option("--reason"));
    add(query, "message_id", invocation.option("--message-id"));
    query.append("&limit=").append(invocation.number("--limit", USUAL_LIMIT));
    if (named != null) {
      return ofQueue(invocation, named, columns, query.toString());
    }
    invocation.banner("Listing deaths of messages in vhost %s ...", invocation.vhost());
    return columns.rows(invocation.api().list(Api.path("deaths", invocation.vhost()) + query));
  }

  private static boolean isColumns(String argument) {
    return Arrays.stream(argument.split("[, ]+")).anyMatch(DEATHS::has);
  }

  private static Result ofQueue(
      Invocation invocation, String queue, Columns columns, String query) {
    String path = Api.path("queues", invocation.vhost(), queue, "deaths");
    invocation.banner(
        "Listing deaths of messages in queue '%s' in vhost %s ...", queue, invocation.vhost());
    List<Map<String, Object>> deaths;
    try {
      deaths = invocation.api().list(path + query);
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
    Object reach = invocation.hushed() ? null : invocation.api().find(path + "/reach");
    if (reach != null) {
      invocation.banner("%s", told(Api.object(reach)));
    }
    return columns.rows(deaths);
  }

  private static String told(Map<String, Object> reach) {
    if (ControlValues.number(reach, "size") == 0) {
      return "The journal is off: death_journal.size is 0";
    }
    String since = ControlValues.time(reach.get("since"));
    return since == null
        ? "The journal has all deaths of this queue"
        : "The journal has all deaths of this queue since %s: it has the last %s of the broker, %s earlier ones are gone"
            .formatted(since, reach.get("kept"), reach.get("gone"));
  }

  private static void add(StringBuilder query, String name, String value) {
    if (value != null) {
      query.append('&').append(name).append('=').append(Api.encode(value));
    }
  }
}
