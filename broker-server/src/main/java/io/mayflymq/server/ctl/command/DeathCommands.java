package io.mayflymq.server.ctl.command;

import io.mayflymq.server.ctl.client.Api;
import io.mayflymq.server.ctl.client.Option;
import io.mayflymq.server.ctl.format.Columns;
import io.mayflymq.server.ctl.format.ControlValues;
import io.mayflymq.server.ctl.format.Result;
import java.util.List;

/** Commands about messages that were dropped or dead-lettered. */
public final class DeathCommands {
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
            .option(Option.text("<queue>", "only those that died in this queue", "--queue"))
            .option(
                Option.text("<reason>", "only those that died for it, such as expired", "--reason"))
            .option(Option.text("<id>", "only the message with this message-id", "--message-id"))
            .option(Option.number("<n>", "no more than so many (100)", "--limit"))
            .takesMany("column")
            .noting(DEATHS.note())
            .does(DeathCommands::deaths),
        Redrives.redrive(),
        Redrives.status(),
        Redrives.stop());
  }

  private static Result deaths(Invocation invocation) {
    Columns columns =
        DEATHS.chosen(
            invocation.arguments(),
            "time",
            "queue",
            "message_id",
            "reason",
            "decided_by",
            "lateness_ms",
            "fate",
            "dead_letter_queues");
    invocation.banner("Listing deaths of messages in vhost %s ...", invocation.vhost());
    StringBuilder query = new StringBuilder(columns.query());
    add(query, "queue", invocation.option("--queue"));
    add(query, "reason", invocation.option("--reason"));
    add(query, "message_id", invocation.option("--message-id"));
    query.append("&limit=").append(invocation.number("--limit", USUAL_LIMIT));
    return columns.rows(invocation.api().list(Api.path("deaths", invocation.vhost()) + query));
  }

  private static void add(StringBuilder query, String name, String value) {
    if (value != null) {
      query.append('&').append(name).append('=').append(Api.encode(value));
    }
  }
}
